// What the load reads of a broker's messages.
#pragma once
#include <string.h>

#include "message.h"
#include "protobuf.h"

// The number in a popup's id; -1 when it is a probe's.
static inline int64_t number_in_id(reader id) {
    return number_in(id.at, (size_t)(id.end - id.at));
}

static inline int64_t number_of_popup(reader popup) {
    for (field f; next_field(&popup, &f);)
        if (f.field == 1) return number_in_id(f.bytes);
    return -1;
}

// The number of the popup that a GroupState newly shows; -1 for a state that is only told again (to a new subscriber, say):
// that one has no cause.
static inline int64_t shown_number(reader state) {
    int64_t number = -1;
    bool is_change = false;
    for (field f; next_field(&state, &f);) {
        if (f.field == 4) number = number_of_popup(f.bytes);
        if (f.field == 6) is_change = true;
    }
    return is_change ? number : -1;
}

// The same in JSON, whose members come in the schema's order; a popup's text has no quotes here.
static inline int64_t shown_number_json(reader state) {
    static const char active[] = "\"active\":{\"id\":\"", cause[] = "\"cause\":";
    const uint8_t *id = memmem(state.at, (size_t)(state.end - state.at), active, strlen(active));
    if (id == NULL) return -1;
    id += strlen(active);
    if (memmem(id, (size_t)(state.end - id), cause, strlen(cause)) == NULL) return -1;
    return number_in_id((reader){id, state.end});
}

// Up to which sequence a Acknowledgement settles everything.
static inline int64_t settled_sequence(reader ack) {
    int64_t cumulative = 0;
    for (field f; next_field(&ack, &f);)
        if (f.field == 2) cumulative = (int64_t)f.number;
    return cumulative;
}
