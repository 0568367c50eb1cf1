/* Claims, for the rest of core. */
#ifndef LARDER_CLAIM_H
#define LARDER_CLAIM_H

#include "process.h"

/* NO_ROOM: nobody has it, but so many others are taken that it cannot be had. */
enum claim_state { CLAIMED_BY_NOBODY, CLAIMED_NO_ROOM, CLAIMED_BY_OTHER, CLAIMED_BY_ME };

enum claim_state claim_look(struct cache *cache, const struct cache_key *key);

#endif
