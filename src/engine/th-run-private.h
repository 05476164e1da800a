/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of a run share: th-run.c makes something of the file, th-run-answer.c tells those
 * who wait. Not for anybody else. */
#pragma once

#include "engine/th-far.h"
#include "engine/th-job.h"
#include "engine/th-lane.h"
#include "engine/th-request.h"
#include "engine/th-run.h"

/* A waiter whose request is kept alive. */
typedef struct
{
  ThRequest *request;
  ThWaiter waiter;
  const char *uri;
  gboolean dealt_with;
} ThAsk;

typedef struct
{
  ThEngine *engine;
  ThLane *lane;
  ThFileJob *file;
  ThJob job;
  ThFar far;          /* of a lane apart */
  char *uri;          /* by which the source was opened */
  GArray *asks;       /* those that are being dealt with */
  GHashTable *stored; /* URI → ThFlavors */
  GHashTable *marked; /* URIs whose failure is remembered */
  gint64 began_at;
  gboolean held; /* nothing is to be told of the file before it is at rest */
  gboolean by_programs;
  gboolean counted; /* among the files that something was made of */
  char *sniffed[2]; /* what data that are not ours look like, with and without the name; or NULL */
} ThRun;

const char *th_run_type_of (const ThAsk *ask);
/* Under the lock: takes over the waiters that there are. */
void th_run_collect (ThRun *run);

/* The rest without the lock. */
/* Those who wait on, until th_run_collect: what is to be made for them. */
ThFlavors th_run_wait_on (ThRun *run);
/* The whole of a run in their lane; the job is gone afterwards. */
void th_run_specialists (ThRun *run);
void th_run_settle (ThRun *run, const ThAsk *ask, gint32 code, char *message);
void th_run_settle_error (ThRun *run, const ThAsk *ask, const GError *error);
/* What the type did not tell: the rules for the format that the file turned out to have. */
gboolean th_run_allows (const ThRun *run, const ThAsk *ask, const char *codec, GError **error);
/* Other spellings and links led to the same file once; they may not any more. */
gboolean th_run_is_same_file (const ThRun *run, const ThAsk *ask);
/* Starts over with a URI that leads to another file by now. That may be the one this job was made
 * for, while the job got another: it must not come back here, again and again. */
void th_run_resubmit (ThRun *run, const ThAsk *ask);
/* As which file those are held who wait for what is open. */
ThFileKey th_run_held_key (const ThRun *run);
/* Until nobody waits any more, then the job is gone. Some may join meanwhile. */
void th_run_answer_all (ThRun *run, const GError *failure);
