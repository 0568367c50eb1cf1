#include "records.h"

void own_record(struct machine *m, struct member *member, unsigned process, unsigned record) {
    member->number = (uint8_t)record;
    member->incarnation = 1;
    m->holders[record] = (uint8_t)(1u << process);
    m->memory[INCARNATION(record)] = 1;
    if (m->memory[RECORDS_USED] <= record) {
        m->memory[RECORDS_USED] = (uint16_t)(record + 1);
    }
}

/* record_reset() of a record whose byte is held. */
static enum progress reset(struct machine *m, unsigned me, struct member *member, unsigned number) {
    TASK(member->resetting)
    if (broken != SWEEPS_RAISED_AFTER_INCARNATION && broken != SWEEPS_NOT_RAISED) {
        ADD(SWEEPS, 1);
    }
    LOAD(member->seen, INCARNATION(number));
    store(m, me, INCARNATION(number), member->seen + 1u);
    if (broken == SWEEPS_RAISED_AFTER_INCARNATION) {
        ADD(SWEEPS, 1);
    }
    store(m, me, PINS(number), 0);
    store(m, me, COPYING(number), 0);
    store(m, me, WRITING(number), 0);
    END_TASK
}

enum progress process_alive(struct machine *m, unsigned me, struct member *member, unsigned number,
                            unsigned incarnation) {
    const unsigned bit = 1u << me;
    TASK(member->asking)
    member->alive = false;
    LOAD(member->seen, INCARNATION(number));
    if (member->seen != incarnation) {
        RETURN();
    }
    if (number == member->number) {
        member->alive = true;
        RETURN();
    }
    /* os_locked(), and os_lock() if no process holds the byte. */
    DRAIN();
    if (m->holders[number] && broken != SWEPT_WITHOUT_ASKING) {
        LOAD(member->seen, INCARNATION(number));
        member->alive = member->seen == incarnation;
        RETURN();
    }
    if (broken != SWEPT_WITHOUT_LOCK) {
        m->holders[number] |= (uint8_t)bit;
    }
    CALL(reset(m, me, member, number));
    DRAIN(); /* os_unlock() */
    m->holders[number] &= (uint8_t)~bit;
    END_TASK
}

/* Reads the process's own record, which only the process writes, so this is no step. */
static bool holds(const struct machine *m, unsigned me, const struct member *member, enum hold hold,
                  unsigned page) {
    return hold == HOLDS_WRITING ? load(m, me, WRITING(member->number)) == page + 1
                                 : (load(m, me, PINS(member->number)) >> page & 1) ||
                                       load(m, me, COPYING(member->number)) == page + 1;
}

enum progress anybody(struct machine *m, unsigned me, struct member *member, enum hold hold, unsigned page,
                      unsigned attempts) {
    TASK(member->place)
    for (member->attempt = 0; member->attempt < attempts; member->attempt++) {
        LOAD(member->sweeps, SWEEPS);
        FENCE();
        LOAD(member->used, RECORDS_USED);
        for (member->i = 0; member->i < member->used; member->i++) {
            if (member->i == member->number) {
                member->held = holds(m, me, member, hold, page);
                if (member->held) {
                    goto done;
                }
                continue;
            }
            LOAD(member->other, INCARNATION(member->i));
            /* record_writes(), record_reads() */
            LOAD(member->seen, hold == HOLDS_WRITING ? WRITING(member->i) : PINS(member->i));
            member->held = hold == HOLDS_WRITING ? member->seen == page + 1
                                                 : (member->seen >> page & 1) && broken != PINS_NOT_SCANNED;
            if (hold == HOLDS_READING && !member->held && broken != COPYING_NOT_SCANNED) {
                LOAD(member->seen, COPYING(member->i));
                member->held = member->seen == page + 1;
            }
            if (member->held) {
                CALL(process_alive(m, me, member, member->i, member->other));
                if (member->alive) {
                    goto done;
                }
            }
        }
        FENCE();
        LOAD(member->seen, SWEEPS);
        if (member->seen == member->sweeps || broken == SWEEPS_NOT_COMPARED) {
            member->held = false;
            goto done;
        }
    }
    member->held = true;
done:
    member->i = member->used = member->attempt = member->other = 0;
    member->seen = member->sweeps = 0;
    member->alive = false;
    END_TASK
}

enum progress count_record(struct machine *m, unsigned me, struct member *member) {
    bool swapped = false;
    TASK(member->asking)
    LOAD(member->used, RECORDS_USED);
    while (!swapped && member->used <= member->number) {
        SWAP(swapped, RECORDS_USED, member->used, member->number + 1);
    }
    member->used = 0;
    END_TASK
}

enum progress claim_record(struct machine *m, unsigned me, struct member *member, unsigned count) {
    TASK(member->place)
    DRAIN(); /* os_lock() of one byte after the other: it may be any that no process holds */
    member->number = (uint8_t)choose(count);
    if (m->holders[member->number]) {
        return BLOCKED;
    }
    m->holders[member->number] = (uint8_t)(1u << me);
    CALL(reset(m, me, member, member->number));
    if (broken != RECORDS_NOT_COUNTED) {
        CALL(count_record(m, me, member));
    }
    LOAD(member->seen, INCARNATION(member->number));
    member->incarnation = (uint8_t)member->seen;
    END_TASK
}
