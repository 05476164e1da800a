/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resident workers: started when needed, fed one file after the other, replaced, ended and reaped.
 * The only place that knows that a process can die. Knows no URI and no cache. */
#pragma once

#include <glib.h>

#include "engine/th-engine.h"
#include "wire/th-exchange.h"

typedef struct
{
  const char *worker_path; /* of the built-in codecs */
  const char *module_dir;  /* where thimble-worker-NAME is that of the module NAME */
  ThLimits limits;
  guint worker_files;   /* a worker is replaced after so many */
  guint worker_idle_ms; /* and ended after so long without one */
  guint max_idle;       /* workers of a class, of all kinds: the longest idle one is ended */
} ThPoolOptions;

/* What nearly every picture takes at the usual sizes; seldom more than is free. */
#define TH_POOL_ALLOWANCE (G_GUINT64_CONSTANT (4) << 20)

typedef struct
{
  const char *module;   /* whose worker, interned; NULL: the built-in one */
  int source_fd;        /* borrowed */
  const guint32 *boxes; /* pixels, largest first */
  guint n_boxes;
  guint64 allowance; /* bytes that are admitted already, as in ThExchange */
  ThAdmit admit;     /* asked again for a second try: what was granted before is void then */
  gpointer admit_data;
  const gint *aborted; /* see th_pool_abort; NULL: it goes on to its end */
} ThPoolJob;

/* How far a worker is locked down. */
typedef struct
{
  gboolean seccomp;
  int landlock_abi; /* 0: this kernel has none */
} ThPoolGreeting;

typedef struct _ThPool ThPool;

ThPool *th_pool_new (const ThPoolOptions *options);
/* Nobody may be inside any more. Ends all processes and reaps them, waiting two seconds at the
 * most.
 */
void th_pool_free (ThPool *pool);

/* Decodes one file in such a worker of this class; called from as many threads as there are to be
 * workers. A new worker inherits the calling thread's priority, which must therefore be the same
 * for all threads of a class. A worker that dies is killed off, replaced, and the file tried once
 * more: it may have been killed from outside. NO_SANDBOX: no worker can be had, error says why. */
ThStatus th_pool_decode (ThPool *pool, ThClass klass, const ThPoolJob *job, ThDecoded *decoded,
                         GError **error);
/* Starts a worker only to hear what it says of itself; it then waits for work. NO_SANDBOX: none can
 * be had. */
ThStatus th_pool_probe (ThPool *pool, ThClass klass, const char *module, ThPoolGreeting *greeting,
                        GError **error);
/* Sets *aborted, atomically, and kills the worker of the job that has it; that job, or one that
 * comes later with it, ends as CANCELLED. */
void th_pool_abort (ThPool *pool, gint *aborted);
/* Kills the workers that are at work, whose jobs end as CANCELLED, as do all later ones. */
void th_pool_close (ThPool *pool);

/* Ends what has been idle for too long and reaps what has ended; never blocks. Returns the
 * monotonic time at which it wants to be called again, 0 where no process is left. */
gint64 th_pool_tend (ThPool *pool);
/* Whether the program of the built-in codecs was replaced since th_pool_new, as by an upgrade.
 * Workers are started from the old one as long as there is one of this version. A module may come,
 * go and be replaced; one of another version is as good as none. */
gboolean th_pool_is_outdated (ThPool *pool);
/* Why the last worker of the built-in codecs could not be started, or NULL. Caller frees. */
char *th_pool_trouble (ThPool *pool);
typedef struct
{
  const char *module; /* interned; NULL: built in */
  pid_t pid;
  gboolean busy;
  guint files;    /* that it has been given */
  guint64 memory; /* not known to the pool */
} ThPoolWorkerInfo;

/* The workers that are there (ThPoolWorkerInfo), those at work first, and how often jobs ended in
 * each ThStatus, the second try of one counted apart. The caller unrefs the array. */
GArray *th_pool_list (ThPool *pool, guint64 outcomes[TH_N_STATUSES]);
/* Processes of both classes that have not been reaped. */
guint th_pool_processes (ThPool *pool);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThPool, th_pool_free)
