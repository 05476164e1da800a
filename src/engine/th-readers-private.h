/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ThReaders and ThReading share: one process of the pool. Not for anybody else. */
#pragma once

#include "engine/th-process.h"
#include "engine/th-readers.h"
#include "wire/th-reader-wire.h"

typedef struct
{
  ThProcess process;
  guint32 request; /* number of the last one */
  int policy;      /* of scheduling: that of the thread which started it */
  gboolean gvfs;   /* has been asked for a URI, which makes it larger */
  gint64 since;    /* idle: when it became so; ended: when it was given up */
  gboolean killed;
  guint32 closing; /* the request to let go that it has not answered yet; 0: none */
  /* Under the lock of the pool. */
  char *where;        /* what it has to do with; NULL: nothing */
  char *path;         /* where that leads */
  GPtrArray *left;    /* places that were left while it had to do with something */
  gboolean running;   /* it is more than a wish */
  gboolean cancelled; /* by th_readers_close or th_readers_leave; it is killed */
} ThReader;

typedef enum
{
  TH_READER_DONE,  /* it holds nothing and can go on */
  TH_READER_HOLDS, /* it was told to let go */
  TH_READER_LOST,  /* it does not answer, has died or talks nonsense */
} ThReaderEnd;

/* One that has to do with nothing else, started where none is idle. where is copied. */
ThReader *th_readers_acquire (ThReaders *readers, const char *where, GError **error);
/* Nothing of it may be used afterwards. */
void th_readers_release (ThReaders *readers, ThReader *reader, ThReaderEnd end);
/* Where it turned out to lead, which may have been left already: FALSE. */
gboolean th_readers_note_path (ThReaders *readers, ThReader *reader, const char *path);
gboolean th_readers_is_cancelled (ThReaders *readers, ThReader *reader);
const ThReadersOptions *th_readers_get_options (ThReaders *readers);

/* Waits until there is something to receive, or the other side is gone; FALSE: not before end, a
 * monotonic time. */
gboolean th_reader_wait (const ThReader *reader, gint64 end);
/* Waits for the greeting of one that was just started. */
gboolean th_reader_greets (const ThReader *reader, GError **error);
/* Whether message is the answer to the request to let go, which is then over. */
gboolean th_reader_has_closed (ThReader *reader, const ThReaderMessage *message);
