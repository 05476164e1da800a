/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Why a file has or has no thumbnail: everything that the engine would look at, looked at, and a
 * decode that writes nothing. Knows nothing of how it is told. */
#pragma once

#include "cache/th-fail.h"
#include "engine/th-check.h"
#include "engine/th-engine.h"
#include "wire/th-wire.h"

typedef struct
{
  gboolean built_in;  /* else a program of others, run by its .thumbnailer entry */
  char *name;         /* "png"; "any" where only the data can tell; the file name of an entry */
  char *rule;         /* that forbids it to make one of this file, or NULL */
  const char *module; /* whose worker has it, interned; NULL: it is no module's */
  gboolean asked;     /* that worker was asked, and says: */
  gboolean seccomp;
  int landlock_abi; /* 0: none */
  char *trouble;    /* why it cannot be had, or NULL */
} ThExplainedHandler;

typedef struct
{
  ThFlavor flavor;
  char *path;
  ThCacheState state;
  char *why; /* NULL where it is valid */
} ThExplainedThumbnail;

typedef struct
{
  gboolean done;
  ThStatus status;
  char codec[TH_WIRE_NAME_BYTES]; /* of what was decoded, "external": by a program; else empty */
  char mime_type[TH_WIRE_MIME_BYTES];
  ThSize full;   /* 0 × 0 where a program did not tell */
  char *message; /* why not, or NULL */
} ThTrial;

typedef struct
{
  char *uri;
  char *path;       /* NULL where the URI names none of this machine */
  const char *kind; /* "regular", "folder", "fifo" …; NULL where there is nothing to look at */
  guint64 size;     /* bytes */
  gint64 mtime;     /* seconds since 1970 */
  char *type;       /* by which a client would ask */
  char *type_by_name;
  char *type_by_data;
  GStrv type_chain;
  GPtrArray *specialists; /* ThSpecialist, which are asked first; those that can be reached */
  GArray *handlers;       /* ThExplainedHandler, in the order in which they are tried */
  ThExplainedThumbnail thumbnails[TH_N_FLAVORS];
  char *failure_path;
  ThFailState failure_state;
  ThFailure failure;
  gboolean failure_forbids; /* for the flavor that was asked about */
  ThFlavor flavor;
  ThVerdict verdict; /* what a client would be told without any decoding */
  ThReason reason;
  ThError code;  /* of an error */
  char *message; /* of an error */
  ThTrial trial;
  gboolean good; /* it has a thumbnail, or gets one when somebody asks */
} ThExplanation;

typedef struct
{
  const char *uri;
  const char *mime_type; /* by which a client would ask */
  ThFlavor flavor;
  gboolean try_it; /* decodes, where that would be done first; nothing is written */
} ThExplainQuestion;

/* Waits for the decode. Caller frees. */
ThExplanation *th_explain (ThEngine *engine, const ThExplainQuestion *question);
void th_explanation_free (ThExplanation *explanation);

/* The specialised thumbnailers of such a file. Caller unrefs. */
GPtrArray *th_explain_specialists (ThEngine *engine, const char *uri, const char *mime_type);

/* What is the same for all files. */
typedef struct
{
  char *cache_root;
  char *unwritable; /* why nothing can be stored, or NULL */
  gboolean asked;   /* whether a worker was started to say the rest */
  gboolean seccomp; /* it has locked itself down */
  int landlock_abi; /* 0: this kernel has none */
  char *trouble;    /* why there is no worker, or NULL */
  char *external;   /* why programs of others could not be run when one was to, or NULL */
} ThExplainedSystem;

void th_explain_system (ThEngine *engine, gboolean ask_worker, ThExplainedSystem *system);
void th_explained_system_clear (ThExplainedSystem *system);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThExplanation, th_explanation_free)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThExplainedSystem, th_explained_system_clear)
