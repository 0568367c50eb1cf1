/* Notices scripts that change the user of their process, as daemons do that root starts. */
#ifndef LARDER_SETUID_H
#define LARDER_SETUID_H

/* At module start and shutdown: makes posix_setuid() and posix_seteuid() tell the cache. */
void setuid_register(void);
void setuid_unregister(void);

#endif
