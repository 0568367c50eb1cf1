#ifndef LARDER_CLAIM_H
#define LARDER_CLAIM_H

#include "process.h"

/* CLAIMED_NO_ROOM: no process has the claim, but other keys' claims fill its bucket. */
enum claim_state { CLAIMED_BY_NOBODY, CLAIMED_NO_ROOM, CLAIMED_BY_OTHER, CLAIMED_BY_ME };

enum claim_state claim_look(struct cache *cache, const struct cache_key *key);

#endif
