/* A hint to the processor. */

#ifndef FASTSVM_PREFETCH_H
#define FASTSVM_PREFETCH_H

#if defined(__GNUC__) || defined(__clang__)
/* The empty asm is a side effect: GCC drops calls of functions that do nothing but prefetch. */
#define FASTSVM_PREFETCH(address) do { __builtin_prefetch(address); __asm__ volatile (""); } while (0)
#else
#define FASTSVM_PREFETCH(address) ((void) (address))
#endif

#endif
