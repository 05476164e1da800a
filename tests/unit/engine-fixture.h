/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An engine over temporary folders, and a record of what it says. */
#pragma once

#include "cache/th-cache.h"
#include "engine/th-engine.h"

typedef enum
{
  STARTED,
  READY,
  FAILED,
  FINISHED,
} RecordKind;

typedef struct
{
  RecordKind kind;
  guint32 handle;
  GStrv uris; /* NULL for started and finished */
  guint n;
  int code;
  char *message;
} Record;

typedef struct
{
  char *folder;
  char *pictures;
  char *cache_root;
  ThEngineOptions options;
  ThCache *cache;
  ThEngine *engine;
  GPtrArray *records;
  guint finished;
  gboolean check_files; /* whether each ready one is looked up in the cache at once */
  ThFlavor flavor;
} Fixture;

/* For g_test_add; the second one also sees that no process is left. */
void fixture_set_up (Fixture *fixture, gconstpointer unused);
void fixture_tear_down (Fixture *fixture, gconstpointer unused);
/* With fixture->options as they are. */
void fixture_start (Fixture *fixture);
void fixture_stop (Fixture *fixture);

/* Writes a picture whose pixels follow from seed; returns its URI. */
char *fixture_picture (Fixture *fixture, const char *name, guint32 width, guint32 height,
                       guint32 seed);
/* So many of them, 0000.png and up; the URIs are the caller's. */
GPtrArray *fixture_pictures (Fixture *fixture, guint n, guint32 side);
char *fixture_path (Fixture *fixture, const char *name);
char *fixture_uri (Fixture *fixture, const char *name);
/* All with the type image/png, in flavor normal. */
guint32 fixture_queue (Fixture *fixture, const char *const *uris, guint n, ThClass klass);
/* Runs the main context until so many requests have finished altogether. */
void fixture_wait (Fixture *fixture, guint finished);
void fixture_forget (Fixture *fixture);
/* The records of a request, in order; the array is the caller's. */
GPtrArray *fixture_records (Fixture *fixture, guint32 handle);
/* Started first, finished last, each once; each URI answered as often as in uris, and no repeats
 * within an event. How many URIs were ready. */
guint fixture_check (Fixture *fixture, guint32 handle, const char *const *uris, guint n);
/* The only error of this URI, or NULL. */
const Record *fixture_error (Fixture *fixture, const char *uri);
/* Processes that this one has started, zombies too. */
GArray *fixture_children (void);

typedef const char *const *Uris;
