/* Scripts that change the user of their process, as daemons do that are started as root. */
#ifndef LARDER_USERS_H
#define LARDER_USERS_H

/* At the module's start and end: lets the cache know whenever posix_setuid() or posix_seteuid() has returned. */
void users_register(void);
void users_unregister(void);

#endif
