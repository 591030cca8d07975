"""What the apps share: the command group, options, errors and exit codes, output and progress."""
