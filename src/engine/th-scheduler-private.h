/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the scheduler consists of. Only for its own two files. */
#pragma once

#include "engine/th-scheduler.h"

typedef struct _ThLine ThLine;
typedef struct _ThNode ThNode;

/* A waiter stands in two lists: its job's, and, while that waits, its request's. */
struct _ThNode
{
  ThWaiter waiter;
  ThFileJob *job;
  ThLine *line;
  GList in_job;  /* data: this node */
  GList in_line; /* the same; also links the waiters of running jobs, for th_scheduler_drop */
};

/* By the size of the file. */
typedef enum
{
  TH_SMALL,
  TH_LARGE,
  TH_N_SIZES,
} ThSizeClass;

/* The waiters of one request. */
struct _ThLine
{
  guint32 handle;
  ThClass klass;
  guint64 age;                /* counts up: a newer request has a larger one */
  GQueue waiting[TH_N_SIZES]; /* nodes of waiting jobs, in the order of adding */
  guint64 served[TH_N_SIZES]; /* bytes of the files that were taken, or left to the others */
  GQueue running;             /* nodes of running jobs */
  guint listing;              /* th_scheduler_list: in which of waiting it goes on */
  GList *listed;              /* and where in that */
  GSequenceIter *place;       /* in the class's lines while something waits */
};

struct _ThFileJob
{
  ThFileKey key;
  GQueue nodes;
  guint waiting[TH_N_CLASSES]; /* nodes by the class of their request */
  gboolean taken;
  gboolean in_hand;  /* some were collected, and may be put back */
  gboolean sealed;   /* nobody joins */
  ThClass klass;     /* of whoever took it */
  ThFlavors flavors; /* that are made, once taken */
  ThFileJob *next;   /* another running job of the same key */
  gpointer data;
};

struct _ThScheduler
{
  GHashTable *requests;           /* handle → ThLine */
  GHashTable *waiting;            /* key → job that waits */
  GHashTable *running;            /* key → first of the running jobs */
  GSequence *lines[TH_N_CLASSES]; /* those with waiting nodes, oldest first */
  guint jobs[TH_N_CLASSES];       /* waiting jobs with at least one node of the class */
  guint64 last_age;
  guint64 owed; /* bytes that newer requests of the foreground got, for the oldest one's share */
};

ThSizeClass th_scheduler_size_of (const ThFileJob *job);
/* Puts a line among those of its class while something of it waits. */
void th_scheduler_enter_class (ThScheduler *scheduler, ThLine *line);
/* Keeps jobs[] true: a waiting job counts for each class that waits for it. */
void th_scheduler_count_node (ThScheduler *scheduler, ThFileJob *job, ThClass klass, int change);
/* Takes the node out of all lists and frees it. */
void th_scheduler_detach (ThScheduler *scheduler, ThNode *node);
/* With its nodes, which stand in no line any more. */
void th_scheduler_job_free (ThFileJob *job);
