/*
 * Explains in the error log why a process that writes to a fetched value is killed (SIGSEGV), and what to set. Always
 * writes to standard error too, which PHP-FPM copies to its own log.
 */
#ifndef LARDER_FAULT_H
#define LARDER_FAULT_H

/* Once in a process. */
void fault_register(void);
/* At the end of the module, whose code goes away. */
void fault_unregister(void);

#endif
