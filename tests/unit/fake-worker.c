/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A worker that greets well and then behaves as TH_FAKE says: "crash" on each job, "crash-once" on
 * the first one ever (TH_FAKE_FLAG names the file that remembers it), "hang", "touch" and
 * "touch-once" the source, "wait" for TH_FAKE_FLAG having made TH_FAKE_OTHER, "replace-once" puts
 * TH_FAKE_OTHER in the place of TH_FAKE_TARGET on the first job ever, "count" adds a byte to
 * TH_FAKE_FLAG and is a real worker, "deaf" without a greeting, "bare" without a lock-down, "old"
 * of another build. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/th-wire.h"

static void
greet (ThStatus status, const char *build)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_HELLO, 0);
  message.hello.version = TH_WIRE_VERSION;
  message.hello.seccomp = status == TH_STATUS_OK;
  message.hello.status = status;
  th_wire_set_text (message.hello.build, sizeof message.hello.build, build);
  th_wire_set_text (message.hello.text, sizeof message.hello.text, "this kernel has no filter");
  th_wire_send (TH_WIRE_FD, &message, -1, NULL);
}

static void
call_corrupt (guint32 job)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_PLAN, job);
  message.plan.status = TH_STATUS_CORRUPT;
  th_wire_set_text (message.plan.text, sizeof message.plan.text, "cut off");
  th_wire_send (TH_WIRE_FD, &message, -1, NULL);
}

static void
touch (int source)
{
  const struct timespec now[2] = { { 0, UTIME_NOW }, { 0, UTIME_NOW } };

  futimens (source, now);
}

static void
be_real (void)
{
  const char *real = getenv ("TH_FAKE_REAL");
  char *argv[] = { (char *) real, NULL };

  execv (real, argv);
  _exit (1);
}

/* Adds a byte to the flag. */
static void
flag (void)
{
  int fd = open (getenv ("TH_FAKE_FLAG"), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);

  if (write (fd, "x", 1) != 1)
    _exit (1);
  close (fd);
}

static int
is_flagged (void)
{
  return access (getenv ("TH_FAKE_FLAG"), F_OK) == 0;
}

/* Shows that it has begun. */
static void
wait_for_flag (void)
{
  close (open (getenv ("TH_FAKE_OTHER"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  while (!is_flagged ())
    g_usleep (1000);
}

static void
misbehave (const char *mode, int source)
{
  if (g_str_has_suffix (mode, "-once"))
    flag ();
  if (g_str_has_prefix (mode, "crash"))
    _exit (7);
  while (strcmp (mode, "hang") == 0)
    pause ();
  if (strcmp (mode, "replace-once") == 0)
    rename (getenv ("TH_FAKE_OTHER"), getenv ("TH_FAKE_TARGET"));
  else if (strcmp (mode, "wait") == 0)
    wait_for_flag ();
  else
    touch (source);
}

int
main (void)
{
  const char *mode = getenv ("TH_FAKE");
  ThWireMessage message;
  int source = -1;

  if (strcmp (mode, "deaf") == 0)
    return 0;
  if (strcmp (mode, "count") == 0)
    flag ();
  if (strcmp (mode, "count") == 0 || (g_str_has_suffix (mode, "-once") && is_flagged ()))
    be_real ();
  greet (strcmp (mode, "bare") == 0 ? TH_STATUS_NO_SANDBOX : TH_STATUS_OK,
         strcmp (mode, "old") == 0 ? "0.0.1" : TH_VERSION);
  while (th_wire_receive (TH_WIRE_FD, &message, &source) == TH_WIRE_GOT)
    {
      misbehave (mode, source);
      call_corrupt (message.head.job);
      close (source);
    }
  return 0;
}
