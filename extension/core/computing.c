/*
 * Computing a missing value once, by the key's claim and a placeholder that takes the place of the value.
 *
 *   placeholder   token 64 | token of the previous placeholder, whose computation stored nothing, 64; 0: none
 *
 * A placeholder is an entry that counts as missing everywhere else. The computed value is stored over it by its
 * token, so a value stored or a key deleted in the meantime wins. The placeholder does not say who computes. The
 * claim does, and it ends with its owner. The next owner takes over the placeholder with its token: nothing was
 * stored or deleted since it was put.
 *
 * Its token is made from the location where it was first put, and stays the same when the placeholder is moved. No
 * other entry of the key is ever put there in that generation of the page.
 */
#include "attach.h"
#include "claim.h"
#include "failpoint.h"
#include "index.h"
#include "token.h"
#include "write.h"

/* The state of a key in the index at the moment. */
struct there {
    enum { NOTHING, PLACEHOLDER, VALUE } what;
    bool fresh;       /* true for a VALUE that a fetch finds */
    uint64_t token;   /* unless NOTHING */
    uint64_t failed;  /* token_failed() of a PLACEHOLDER */
    uint64_t expires; /* of a PLACEHOLDER */
};

static struct there look(struct cache *cache, struct record_shared *record, const struct cache_key *key) {
    const struct place place = index_place(cache, key);
    struct there there = {.what = NOTHING};
    struct found found;
    if (index_find_announced(cache, record, &place, key, &found) && !index_is_expired(found.entry)) {
        const struct entry_shared *entry = found.entry;
        there.what = entry_is_placeholder(entry) ? PLACEHOLDER : VALUE;
        there.fresh = !index_is_missing(entry, entry);
        there.token = token_of(&cache->map, entry, entry_is_integer(entry) ? integer_read(entry).value : 0);
        if (there.what == PLACEHOLDER) {
            there.failed = token_failed(entry);
            there.expires = entry->expires;
        }
    }
    clear_copying(record);
    return there;
}

/* Puts a placeholder over the entry with the token `over`; if `over` is NULL, only if the key has no entry. */
static enum cache_result put_placeholder(struct cache *cache, struct record_shared *record,
                                         const struct cache_key *key, const uint64_t *over, uint64_t failed,
                                         uint64_t expires, uint64_t *token) {
    struct cache_span span;
    const enum cache_result result =
        write_reserve(cache, record, key, PLACEHOLDER_UNITS << UNIT_SHIFT, 0, CACHE_ADD, &span);
    if (result != CACHE_OK) {
        return result;
    }
    *token = token_at(&cache->map, cache->reservation.generation, cache->reservation.location);
    uint64_t *words = span.bytes;
    words[0] = *token;
    words[1] = failed;
    write_seal(cache, key, CACHE_PLACEHOLDER, expires);
    return write_put(cache, record, key, over ? CACHE_REPLACE : CACHE_ADD_IF_GONE, over);
}

/* For the owner of the claim: puts a placeholder, unless the key has one or a useful value. */
static enum cache_claimed begin(struct cache *cache, struct record_shared *record, const struct cache_key *key,
                                uint64_t expires, const uint64_t *useless, struct cache_token *token) {
    for (;;) {
        const struct there there = look(cache, record, key);
        *token = (struct cache_token){there.what != NOTHING, there.token};
        if (there.what != NOTHING && !(useless && *useless == there.token)) {
            return there.what == PLACEHOLDER ? CACHE_CLAIMED_MISSING : CACHE_CLAIMED_VALUE;
        }
        FAILPOINT(computing_claimed);
        *token = (struct cache_token){true, 0};
        const enum cache_result result = put_placeholder(
            cache, record, key, there.what != NOTHING ? &there.token : NULL, 0, expires, &token->number);
        if (result == CACHE_OK) {
            return CACHE_CLAIMED_MISSING;
        }
        if (result != CACHE_EXISTS && result != CACHE_ABSENT && result != CACHE_DIFFERENT) {
            /* There is no room for a placeholder. A useless value stays, and is replaced by its own token. */
            *token = (struct cache_token){there.what != NOTHING, there.token};
            return CACHE_CLAIMED_MISSING;
        }
    }
}

enum cache_claimed cache_claim_to_compute(struct cache *cache, const struct cache_key *key, uint64_t expires,
                                          const uint64_t *useless, struct cache_token *token) {
    *token = (struct cache_token){0};
    const enum cache_result claimed = cache_claim(cache, key);
    struct record_shared *record = attached_record(cache);
    if (!record || claimed == CACHE_UNAVAILABLE) {
        return CACHE_CLAIM_UNAVAILABLE;
    }
    if (claimed == CACHE_OK) {
        return begin(cache, record, key, expires, useless, token);
    }
    const enum claim_state state = claim_look(cache, key);
    const struct there there = look(cache, record, key);
    *token = (struct cache_token){there.what != NOTHING, there.token};
    if (useless && there.what == PLACEHOLDER && there.token == *useless) {
        put_placeholder(cache, record, key, useless, 0, expires, &token->number);
    }
    if (state == CLAIMED_BY_ME) {
        return CACHE_CLAIMED_BEFORE;
    }
    if (there.fresh && !(useless && *useless == there.token)) {
        *token = (struct cache_token){0}; /* a useful value that was stored just now; the caller need not wait */
    }
    return CACHE_CLAIMED_BY_OTHER;
}

/* The claim is read before the key: if the claim has ended, what its owner did before that is visible. */
enum cache_awaited cache_await_computed(struct cache *cache, const struct cache_key *key,
                                        const struct cache_token *token) {
    struct record_shared *record = enter(cache);
    if (!record) {
        return CACHE_AWAITED_NOTHING;
    }
    const enum claim_state state = claim_look(cache, key);
    const struct there there = look(cache, record, key);
    FAILPOINT(computing_seen);
    if (state == CLAIMED_BY_ME ||
        (there.what == PLACEHOLDER && there.failed != 0 && token->is_there && there.failed == token->number)) {
        return CACHE_AWAITED_NOTHING;
    }
    const bool same =
        token->is_there ? there.what != NOTHING && there.token == token->number : there.what == NOTHING;
    if (!same || state == CLAIMED_BY_NOBODY) {
        return CACHE_AWAITED_CHANGE;
    }
    return cache_await_claim(cache, key) ? CACHE_AWAITED_NOTHING_YET : CACHE_AWAITED_NOTHING;
}

void cache_end_computing(struct cache *cache, const struct cache_key *key) {
    struct record_shared *record = attached_record(cache); /* NULL: a child forked at the limit of processes */
    if (record && claim_look(cache, key) == CLAIMED_BY_ME) {
        const struct there there = look(cache, record, key);
        if (there.what == PLACEHOLDER) {
            uint64_t token;
            put_placeholder(cache, record, key, &there.token, there.token, there.expires, &token);
            FAILPOINT(computing_failed);
        }
    }
    cache_end_claim(cache, key);
}
