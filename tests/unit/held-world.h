/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of files that are written to: an engine whose decodes can be counted, and what it
 * holds. */
#pragma once

#include "engine-fixture.h"

/* So many times what needs somebody to be quick is tried. */
#define HELD_TRIES 20u
/* ms; no test takes so long. */
#define HELD_FOR_EVER (600u * 1000u)

/* A worker that misbehaves (fake-worker.c). */
void held_use_fake (Fixture *fixture, const char *mode);
/* Starts the engine; each decode starts a worker, which writes that down. */
void held_start (Fixture *fixture, guint quiet_ms, guint hold_ms);
/* Decodes since it was asked last. */
gsize held_decodes (Fixture *fixture);

/* A picture's bytes; the caller frees. */
char *held_picture_data (Fixture *fixture, gsize *size);
/* That picture, of which the end is missing. Its URI. */
char *held_half_picture (Fixture *fixture, const char *name);

/* Whether anybody waits for a file to come to rest. */
gboolean held_is_any (Fixture *fixture);
/* Runs the main context until somebody does. FALSE: it was not seen before all was over. */
gboolean held_wait (Fixture *fixture);
/* Whether a failure is remembered. */
gboolean held_is_marked (Fixture *fixture, const char *uri);
