/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A child process with bubblewrap's inner one below it: started with chosen descriptors, watched,
 * and ended together with all that it has started. Not for anybody outside this layer. */
#pragma once

#include <glib.h>
#include <sys/types.h>

typedef struct
{
  pid_t pid;
  int pidfd;
  int inner;     /* pidfd of the namespace's first process, -1: not known, or none */
  int status;    /* exit status, -1: it was killed or has not ended */
  GString *info; /* what bubblewrap says about itself */
  gboolean info_over;
  gboolean said_over;
} ThChild;

typedef struct
{
  char **argv;
  const char
      *folder;    /* to be its current and its temporary one, with our environment; NULL: neither */
  const int *fds; /* become 2, 3, …; -1: leave closed */
  guint n_fds;
} ThChildStart;

gboolean th_child_start (ThChild *child, const ThChildStart *how, GError **error);
/* TRUE once it has ended; FALSE after a short while. Takes in meanwhile what is said, dropping what
 * is too much. */
gboolean th_child_wait (ThChild *child, int said_fd, int info_fd, GString *said);
/* Kills what still runs and waits for it, for a while: what cannot be killed now, as in a read that
 * never returns, is left to a thread. gently: asks first, so that it ends its own children. */
void th_child_end (ThChild *child, gboolean gently);
void th_child_drain (int said_fd, GString *said);
/* The last line that is not empty, cleaned for people; NULL: none. Caller frees. */
char *th_child_last_line (const GString *said);

/* FALSE, and an error that says what could not be had. */
gboolean th_child_fail (const char *what, int code, GError **error);
