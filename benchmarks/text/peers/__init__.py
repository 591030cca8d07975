"""The peers' programs, as a user of each would write them; a process each."""
