/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stand-in volume monitor for the programs that a test starts, and a voice to tell it what is
 * about to be unmounted. */
#pragma once

#include <glib.h>

typedef struct
{
  char *fifo;
  int voice; /* the writing end, once somebody listens; -1 */
} VolumesWorld;

/* Makes the FIFO in folder and sets the environment; before the programs are started. */
void volumes_world_init (VolumesWorld *world, const char *folder);
void volumes_world_clear (VolumesWorld *world);
/* Waits until a monitor listens; the main context runs meanwhile. */
void volumes_world_wait (VolumesWorld *world);
/* The same until none does any more. */
void volumes_world_wait_gone (VolumesWorld *world);
/* What (volumes-module.h) is about to be unmounted. */
void volumes_world_tell (VolumesWorld *world, const char *what);

/* Children of pid, zombies too. Caller unrefs. */
GArray *volumes_world_children (int pid);
