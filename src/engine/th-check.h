/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cheap verdict on one URI: nothing is opened but the cached thumbnail's head, and nothing is
 * touched that may not answer. */
#pragma once

#include "cache/th-fail.h"
#include "engine/th-mime.h"
#include "engine/th-mounts.h"
#include "engine/th-readers.h"
#include "engine/th-rules.h"
#include "engine/th-scheduler.h"
#include "engine/th-specialist-call.h"

typedef enum
{
  TH_CHECK_VALID, /* the cached thumbnail shows the file as it is */
  TH_CHECK_MAKE,  /* to be generated */
  TH_CHECK_ERROR,
} ThVerdict;

/* What decided, in the order in which it is asked. */
typedef enum
{
  TH_REASON_NOT_LOCAL,   /* no URI of a file that can be reached from here */
  TH_REASON_SILENT,      /* what it lies on does not answer */
  TH_REASON_MISSING,     /* no file there, or one that cannot be looked at */
  TH_REASON_NOT_REGULAR, /* a folder, device, FIFO or socket */
  TH_REASON_IS_THUMBNAIL,
  TH_REASON_EXCLUDED, /* by its place */
  TH_REASON_UNREADABLE,
  TH_REASON_VALID,   /* there is a valid thumbnail */
  TH_REASON_PARTIAL, /* by its name it is still being downloaded */
  TH_REASON_NO_TYPE, /* no handler for its type */
  TH_REASON_RULE,    /* another rule than one of places */
  TH_REASON_CLOUD,   /* it would have to be fetched from a far store */
  TH_REASON_REMEMBERED,
  TH_REASON_UNWRITABLE, /* the cache */
  TH_REASON_MAKE,       /* nothing speaks against it */
  TH_REASON_SECRET,     /* it lies in an encrypted folder, and the cache does not */
  TH_REASON_APART,      /* it has not been looked at: it lies where nobody may answer */
  TH_N_REASONS
} ThReason;

/* A stable lower-case word. */
const char *th_reason_name (ThReason reason);

/* Files that are waited for apart, so that those of one kind do not hold up the others. */
typedef enum
{
  TH_LANE_PICTURES,    /* what may be ours to decode */
  TH_LANE_PROGRAMS,    /* what programs of others are needed for, by its type */
  TH_LANE_SPECIALISTS, /* what specialised thumbnailers on the bus serve */
  TH_N_LANES
} ThLaneName;

typedef struct
{
  ThVerdict verdict;
  ThReason reason;
  ThLaneName lane; /* of what is to be made */
  char *apart;   /* th-apart.h; of what was not looked at. th_check_clear frees. NULL: looked at */
  ThFileKey key; /* unless an error; of one that was not looked at it names the URI only */
  ThError code;  /* of an error */
  char *message; /* of an error. th_check_clear frees */
} ThCheck;

void th_check_clear (ThCheck *check);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThCheck, th_check_clear)

/* All borrowed. */
typedef struct
{
  const ThCache *cache;
  ThMime *mime;
  const ThRules *rules;
  ThMounts *mounts;        /* NULL: all are looked at */
  gboolean fetch_cloud;    /* files of cloud stores, too */
  gboolean keep_encrypted; /* of encrypted folders, too */
  ThFailBasis basis;       /* of the built-in decoders */
  const char *module_dir;
  ThEntries *entries; /* NULL: none */
  ThSpecialists *specialists;
  ThSpecialistCaller specialist_caller; /* no call: nobody can reach them */
} ThCheckTools;

/* What the verdicts of one pass share. */
typedef struct
{
  const ThCheckTools *tools;
  gboolean without_specialists;
  /* Remembered from one URI to the next; NULL and FALSE to begin with. */
  const char *last_type;  /* by address: equal types of a request are one string */
  const char *last_codec; /* th_mime_codec */
  char *last_handler;     /* who is no built-in decoder, or NULL: not asked, or one is */
  gboolean asked_writable;
  GError *unwritable;
} ThChecker;

void th_check (ThChecker *checker, const char *uri, const char *mime_type, ThFlavor flavor,
               ThCheck *check);
/* The same for a file apart that somebody else has looked at. cloud: reading it would fetch it from
 * a far store. */
void th_check_facts (ThChecker *checker, const char *uri, const char *mime_type, ThFlavor flavor,
                     const ThFacts *facts, gboolean cloud, ThCheck *check);
void th_checker_clear (ThChecker *checker);

/* The same file under the same rules once its format is known: NULL, or the rule that forbids a
 * thumbnail. real_path: the path without symlinks; NULL: it is looked for. Caller frees. */
char *th_check_codec (const ThRules *rules, const char *path, const char *real_path, guint64 size,
                      const char *codec);
/* How failures of this worker program are remembered (ThFailBasis): its version and its build, so
 * that what an older one failed at is tried again. Caller frees. */
char *th_check_handler (const char *worker_path);
/* The same for the module that serves a type; NULL: none does. */
char *th_check_handler_for (const ThCheckTools *tools, const char *mime_type);
/* The same for the programs that serve a type. */
char *th_check_programs (ThEntries *entries, const char *mime_type);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ThChecker, th_checker_clear)
