/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looking at and reading what may never answer (network and FUSE mounts, GVfs) in processes that
 * can be given up: no thread of ours ever waits in the kernel for somebody else's server. Knows no
 * picture and no request. */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

#include "cache/th-stamp.h"

typedef struct
{
  const char *program; /* NULL: th_paths_reader (); copied */
  guint stall_ms;      /* without any progress: it does not answer; default 10 000 */
  guint total_ms;      /* for reading one whole file; default 20 000 */
  guint64 max_bytes;   /* of a file that is copied; default 64 MiB */
  guint idle_ms;       /* a process is ended after so long without work; default 5 000 */
} ThReadersOptions;

void th_readers_options_init (ThReadersOptions *options);

typedef struct _ThReaders ThReaders;

/* Nothing is started yet. */
ThReaders *th_readers_new (const ThReadersOptions *options);
/* Nobody may be inside any more, and no ThReading may be left. */
void th_readers_free (ThReaders *readers);
/* From any thread: all calls that wait, and all later ones, fail with G_IO_ERROR_CANCELLED. */
void th_readers_close (ThReaders *readers);
/* The same for those that have to do with path, or a URI, or anything below it, by its spelling or
 * by where it leads, once. Their processes are gone, with all that they had open, when this returns
 * or very soon after. */
void th_readers_leave (ThReaders *readers, const char *path);
/* Ends what has been idle for too long and reaps what has ended; never blocks. Returns the
 * monotonic time at which it wants to be called again, 0 where no process is left. */
gint64 th_readers_tend (ThReaders *readers);
/* The schemes that GVfs serves here. Caller frees. NULL: it could not be asked in time. */
char **th_readers_schemes (ThReaders *readers, GError **error);

/* What a look found. For a URI, of what it leads to in the end (standard::target-uri). */
typedef struct
{
  struct stat st; /* for a URI only mode, size and mtime */
  ThStamp stamp;  /* the inode only where it lasts */
  gboolean readable;
  gboolean has_preview; /* the device offers a small picture of its own (preview::icon) */
  char *path;           /* local path that it leads to, without symlinks; NULL: none */
  char *mime_type;      /* what GVfs says; NULL for a path */
} ThFacts;

void th_facts_clear (ThFacts *facts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThFacts, th_facts_clear)

/* One file, under the eyes of one process. For one thread at a time. */
typedef struct _ThReading ThReading;

/* The process has the priority of the calling thread. where is an absolute path or a URI of a
 * scheme other than file. facts must be initialised; what they held is freed. Errors:
 * G_IO_ERROR_TIMED_OUT (it does not answer; the process was given up), G_IO_ERROR_CANCELLED,
 * G_IO_ERROR_FAILED (the process died, or cannot be had), G_FILE_ERROR for paths, any other
 * G_IO_ERROR for URIs. */
ThReading *th_readers_look (ThReaders *readers, const char *where, ThFacts *facts, GError **error);

typedef enum
{
  TH_READ_COPY,    /* the content, complete, in a sealed memfd */
  TH_READ_DIRECT,  /* the file itself, read-only, wrapped; only where facts have a path */
  TH_READ_PREVIEW, /* the device's own small picture, in a sealed memfd */
} ThReadHow;

/* The caller closes the descriptor. Only regular files. That of TH_READ_DIRECT is a wrapping
 * (wire/th-wrap.h), since reading or closing the file may wait for ever: it can be closed, and
 * given to a worker, which unwraps it, as it is. facts are those of what was opened and may differ
 * from the look's. Errors as above, and G_IO_ERROR_MESSAGE_TOO_LARGE: more than max_bytes;
 * G_IO_ERROR_BUSY: it answers, but too slowly for total_ms. */
int th_reading_open (ThReading *reading, ThReadHow how, ThFacts *facts, GError **error);
/* Whether the name still leads to the same file in the state that open found. FALSE also where it
 * does not answer. */
gboolean th_reading_is_unchanged (ThReading *reading);
void th_reading_free (ThReading *reading);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThReaders, th_readers_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThReading, th_reading_free)
