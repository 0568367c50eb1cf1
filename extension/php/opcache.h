/* Gives opcache copies of fetched file names, because it counts references to them. */
#ifndef LARDER_OPCACHE_H
#define LARDER_OPCACHE_H

/*
 * At the start of each request. The first call in a process installs all hooks that must come after those of other
 * extensions; later calls cost a comparison.
 */
void opcache_hook(void);

/* At module shutdown. */
void opcache_unhook(void);

#endif
