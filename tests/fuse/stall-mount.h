/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A FUSE file system that stops answering when it is told to, for tests. It lies in a mount
 * namespace of the test's own, so that nothing of it outlives the test. */
#pragma once

#include <glib.h>

typedef struct
{
  GPid tool;
  char *host;  /* the folder whose files it shows */
  char *point; /* where */
} StallMount;

/* To be called first in main, before there is a second thread: enters the namespace. Children see
 * it too. NULL, or why no FUSE file system can be mounted here (static), for g_test_skip. */
const char *stall_mount_prepare (void);
/* Makes both folders below parent. type: of the file system, "fuse.NAME". */
StallMount *stall_mount_start (const char *parent);
StallMount *stall_mount_start_as (const char *parent, const char *type);
/* From now on these operations of stall-fs are never answered, NULL: all are. What hangs already
 * goes on hanging. */
void stall_mount_stall (StallMount *stall, const char *operations);
/* Whatever hangs in it goes on with an error. */
void stall_mount_stop (StallMount *stall);
/* Path of a file at the mount point. Caller frees. */
char *stall_mount_path (StallMount *stall, const char *name);
/* Writes a file that it shows; returns its path at the mount point. */
char *stall_mount_file (StallMount *stall, const char *name, gconstpointer data, gsize size);
