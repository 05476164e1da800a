/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One file's way from path to thumbnails in the cache: open, decode, look whether it changed
 * meanwhile, encode once a flavor, store once a URI. Knows no request. */
#pragma once

#include "cache/th-cache.h"
#include "engine/th-admission.h"
#include "engine/th-external.h"
#include "engine/th-pool.h"
#include "engine/th-readers.h"
#include "engine/th-source.h"

typedef struct
{
  const ThCache *cache;
  ThPool *pool;
  ThAdmission *admission;
  ThAdmission *copies; /* memory of what readers fetch */
  ThReaders *readers;
  ThExternal *external;
} ThJobTools;

typedef struct
{
  const ThJobTools *tools;
  ThClass klass;
  gint cancelled;
  gint aborted;
  guint64 held; /* bytes of the shared budget */
  ThSource source;
  /* The file is known to be in this state from seen_at, which may be set back, to still_at. */
  gint64 seen_at;
  gint64 still_at;
  gboolean moved;  /* while it was worked on it was written to, or replaced again and again */
  ThStatus status; /* of the last decode of the file as it is; OK before any and where it changed */
  guint32 box;     /* the largest one wanted of it, pixels */
  ThDecoded decoded;
  ThFlavor flavors[TH_N_FLAVORS];  /* of decoded.images */
  ThPngBody *bodies[TH_N_FLAVORS]; /* of the same, once encoded */
} ThJob;

/* What is said of one that has moved. */
#define TH_JOB_MOVED "the file is still being written"

/* Everything from one thread but th_job_cancel. */
void th_job_init (ThJob *job, const ThJobTools *tools, ThClass klass);
void th_job_clear (ThJob *job);

gboolean th_job_open (ThJob *job, const char *path, GError **error);
/* Whether path leads to the file that is open. */
gboolean th_job_is_at (const ThJob *job, const char *path);
/* The same, though its content may have changed. */
gboolean th_job_is_file_at (const ThJob *job, const char *path);
/* Whether the cache has what the open file would give. */
gboolean th_job_is_cached (const ThJob *job, const char *uri, ThFlavor flavor);
/* All flavors in one go, waiting for memory, by the first of these decoders (th-decoders.h) that
 * knows the format. Where another file takes its place meanwhile that is opened, a few times.
 * FALSE: nothing can be stored. */
gboolean th_job_decode (ThJob *job, ThFlavors flavors, const char *const *decoders, GError **error);
/* The same by programs of others, one after the other until one makes a picture; types are what
 * the file may be, NULL-terminated. UNSUPPORTED: there is no such program for this file. */
gboolean th_job_run_programs (ThJob *job, ThFlavors flavors, const char *const *types,
                              GError **error);
/* Of a flavor that was decoded. Visible in the cache once it has returned. */
gboolean th_job_store (ThJob *job, const char *uri, ThFlavor flavor, GError **error);
/* From any thread: whoever waits for memory need not, and a program is ended. A decode that runs
 * goes on. */
void th_job_cancel (ThJob *job);
/* The same, and a decode that runs ends at once, with its worker. */
void th_job_abort (ThJob *job);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThJob, th_job_clear)
