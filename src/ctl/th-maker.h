/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Has thumbnails made of all files of a walk, some thousands at a time, and sees to it that each
 * file gets an answer. Knows no terminal and no bus. */
#pragma once

#include "ctl/th-backend.h"
#include "ctl/th-walk.h"

typedef struct
{
  guint64 ready;   /* files that have all their thumbnails now */
  guint64 skipped; /* found in a folder: no handler for their type, or a download */
  guint64 failed;  /* anything else, once each; folders that cannot be read too */
} ThTally;

typedef struct
{
  /* Once for each file, before anybody is asked for its thumbnails: which it is to have, one at
   * least, of those that the maker is for. */
  ThFlavors (*found) (const ThWalkFile *file, gpointer data);
  /* Once for each thumbnail. */
  void (*ready) (const ThWalkFile *file, ThFlavor flavor, gpointer data);
  /* Once for each file; file is NULL where the message tells what it is about. */
  void (*failed) (const ThWalkFile *file, const char *message, gpointer data);
  void (*done) (gpointer data);
} ThMakerEvents;

typedef struct _ThMaker ThMaker;

/* walk is borrowed. flavors: all that found may name. */
ThMaker *th_maker_new (ThWalk *walk, ThFlavors flavors, ThClass klass, const ThMakerEvents *events,
                       gpointer data);
void th_maker_free (ThMaker *maker);
/* The events to open the backend with, the maker being their data. */
extern const ThBackendEvents th_maker_backend_events;
/* Begins; backend is borrowed and must outlive the maker. done is called when all is answered. */
void th_maker_start (ThMaker *maker, ThBackend *backend);
const ThTally *th_maker_tally (const ThMaker *maker);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThMaker, th_maker_free)
