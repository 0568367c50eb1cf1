/*
 * A process that writes into a fetched value is ended by the system (SIGSEGV), alone. Before that it says why, and what
 * to set: in the error log, or where that is not set on standard error, which PHP-FPM puts into its own log.
 */
#ifndef LARDER_STRAY_H
#define LARDER_STRAY_H

/* Once in a process. */
void stray_register(void);
/* At the end of the module, whose code goes away. */
void stray_unregister(void);

#endif
