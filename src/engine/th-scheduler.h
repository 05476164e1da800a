/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which file is next, and who waits for it: order, shares and the merging of equal files. Holds no
 * clock, no thread, no bus and no lock. */
#pragma once

#include <glib.h>

#include "engine/th-engine.h"

/* Equal keys are the same bytes, however they are spelled. */
typedef struct
{
  guint64 device;
  guint64 inode;
  guint64 size;
  gint64 mtime;
  guint32 mtime_ns;
} ThFileKey;

typedef struct
{
  guint32 handle;
  guint32 index; /* of the URI within the request */
  ThFlavor flavor;
} ThWaiter;

typedef struct _ThFileJob ThFileJob;
typedef struct _ThScheduler ThScheduler;

ThScheduler *th_scheduler_new (void);
void th_scheduler_free (ThScheduler *scheduler);

/* Requests count as newer the later they are opened. A handle is open once. */
void th_scheduler_open (ThScheduler *scheduler, guint32 handle, ThClass klass);
/* Adds a waiter of an open request. It joins the job that waits for this file; or one that runs
 * and makes this flavor, unless that runs in the background and the waiter is foreground's; or it
 * becomes a job. TRUE where there is something to take that was not before. */
gboolean th_scheduler_add (ThScheduler *scheduler, const ThFileKey *key, const ThWaiter *waiter);
/* From now on a request is of the background. What of it runs already is not concerned. */
void th_scheduler_demote (ThScheduler *scheduler, guint32 handle);
/* Forgets a request and its waiters. Waiting jobs that nobody waits for any more vanish; running
 * ones are appended to orphans: nobody can join them any more, th_scheduler_collect ends them. */
void th_scheduler_drop (ThScheduler *scheduler, guint32 handle, GPtrArray *orphans);

/* A waiter that was taken out, and the file it waited for. */
typedef struct
{
  ThFileKey key;
  ThWaiter waiter;
} ThPulled;

/* Takes out those waiters of running jobs that match, and appends them to out (ThPulled). What
 * becomes of jobs: as th_scheduler_drop. */
void th_scheduler_pull_running (ThScheduler *scheduler,
                                gboolean (*match) (const ThFileKey *key, const ThWaiter *waiter,
                                                   gpointer data),
                                gpointer data, GArray *out, GPtrArray *orphans);
/* Appends to out (ThPulled) waiters of a request whose jobs wait, at most max, and takes none out.
 * Goes on where it ended for this request, or begins anew. */
void th_scheduler_list (ThScheduler *scheduler, guint32 handle, gboolean anew, guint max,
                        GArray *out);
/* Takes out one that was listed. FALSE: its job runs by now, or it is gone. */
gboolean th_scheduler_pull (ThScheduler *scheduler, const ThPulled *listed);

/* The next job, which runs from now on, or NULL. Foreground: of the newest request, but of every
 * TH_OLDEST_SHARE bytes one of the oldest; background: of the oldest. Within a request in the order
 * of adding, but that files below TH_LARGE_FILE bytes and others overtake each other while both
 * wait: each of the two gets as many bytes as the other, so that what takes a moment does not wait
 * for what takes seconds, nor the other way round. A file that requests of both classes wait for
 * goes to whoever comes first. */
ThFileJob *th_scheduler_take (ThScheduler *scheduler, ThClass klass);
#define TH_OLDEST_SHARE  4u
#define TH_LARGE_FILE    (1024u * 1024u)
#define TH_FILE_COST_MIN 4096u /* a smaller one counts as so many bytes */
/* Jobs that th_scheduler_take could give to this class now. */
guint th_scheduler_waiting (const ThScheduler *scheduler, ThClass klass);

/* What a running job is to make; joined meanwhile only within these. */
ThFlavors th_file_job_flavors (const ThFileJob *job);
const ThFileKey *th_file_job_key (const ThFileJob *job);
void th_file_job_set_data (ThFileJob *job, gpointer data);
gpointer th_file_job_data (const ThFileJob *job);
/* Moves the waiters of a running job to the end of out (ThWaiter). It is no orphan as long as they
 * may be put back, which is until th_scheduler_narrow. */
void th_scheduler_collect (ThScheduler *scheduler, ThFileJob *job, GArray *out);
/* Gives one of them back to the job, which must be running. Ignored where its request is gone. */
void th_scheduler_put_back (ThScheduler *scheduler, ThFileJob *job, const ThWaiter *waiter);
/* Ends a running job that has no waiters, and frees it. FALSE, and nothing is done, where some have
 * come: collect again. */
gboolean th_scheduler_finish (ThScheduler *scheduler, ThFileJob *job);
/* Restricts what a running job makes, and thereby who can join, to what its waiters want. */
ThFlavors th_scheduler_narrow (ThScheduler *scheduler, ThFileJob *job);
/* Nobody joins a running job any more: what it has open is not the file of its key. */
void th_scheduler_seal (ThScheduler *scheduler, ThFileJob *job);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThScheduler, th_scheduler_free)
