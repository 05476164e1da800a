/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shared memory into which a worker puts its results: made, sized, sealed and read by the
 * owning side. */
#pragma once

#include <glib.h>

/* A memfd of exactly size bytes that can neither shrink nor grow, close-on-exec; -1 and an error
 * where the system has none to give. */
int th_result_new (guint64 size, GError **error);

/* Shared memory that stays with a worker from job to job: to make it, to fault it in on both sides
 * and to give it back takes longer than to decode a small picture. */
typedef struct
{
  int fd; /* -1: none yet */
  guint64 size;
} ThResultRoom;

#define TH_RESULT_ROOM_INIT                                                                        \
  {                                                                                                \
    -1, 0                                                                                          \
  }
/* Results of one thumbnail of 1024 × 1024 pixels; larger ones get memory of their own. */
#define TH_RESULT_ROOM_MAX (G_GUINT64_CONSTANT (4) << 20)

/* Makes room for total bytes, at most TH_RESULT_ROOM_MAX. *fresh: the worker does not know it yet.
 * FALSE and an error as above. */
gboolean th_result_room_fit (ThResultRoom *room, guint64 total, gboolean *fresh, GError **error);
void th_result_room_clear (ThResultRoom *room);

/* Copies it once into private memory, whatever the worker goes on doing to it. NULL and an error
 * where memory is short. Caller frees. */
guint8 *th_result_copy (int fd, guint64 size, GError **error);
