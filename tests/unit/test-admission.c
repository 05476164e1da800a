/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-admission.h"

#define BUDGET 1000u

/* Somebody who wants memory, in a thread of his own. */
typedef struct
{
  ThAdmission *admission;
  guint64 bytes;
  ThClass klass;
  gint cancelled;
  gint answer; /* 0: waits, 1: has it, 2: refused */
  GThread *thread;
} Client;

static gpointer
ask (gpointer data)
{
  Client *client = data;
  gboolean granted =
      th_admission_acquire (client->admission, client->bytes, client->klass, &client->cancelled);

  g_atomic_int_set (&client->answer, granted ? 1 : 2);
  return NULL;
}

static Client *
client_new (ThAdmission *admission, guint64 bytes, ThClass klass)
{
  Client *client = g_new0 (Client, 1);

  client->admission = admission;
  client->bytes = bytes;
  client->klass = klass;
  client->thread = g_thread_new ("client", ask, client);
  return client;
}

/* One that has to wait; returns once it does. */
static Client *
waiting_client (ThAdmission *admission, guint64 bytes, ThClass klass)
{
  guint before = th_admission_waiting (admission);
  Client *client = client_new (admission, bytes, klass);

  while (th_admission_waiting (admission) == before)
    g_usleep (100);
  return client;
}

static void
client_free (Client *client, gint answer)
{
  if (client->thread != NULL)
    g_thread_join (client->thread);
  g_assert_cmpint (client->answer, ==, answer);
  if (client->answer == 1)
    th_admission_release (client->admission, client->bytes, client->klass);
  g_free (client);
}

static void
acquire_now (ThAdmission *admission, guint64 bytes, ThClass klass)
{
  const gint no = 0;

  g_assert_true (th_admission_acquire (admission, bytes, klass, &no));
}

static void
test_fits (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);

  acquire_now (admission, 400, TH_FOREGROUND);
  acquire_now (admission, 600, TH_FOREGROUND);
  g_assert_cmpuint (th_admission_in_use (admission), ==, BUDGET);
  th_admission_release (admission, 600, TH_FOREGROUND);
  acquire_now (admission, 500, TH_BACKGROUND);
  th_admission_release (admission, 500, TH_BACKGROUND);
  th_admission_release (admission, 400, TH_FOREGROUND);
  g_assert_cmpuint (th_admission_in_use (admission), ==, 0);
}

/* A large one at the head is not overtaken by small ones for ever. */
static void
test_first_come (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Client *large, *small;

  acquire_now (admission, 600, TH_FOREGROUND);
  large = waiting_client (admission, 900, TH_FOREGROUND);
  small = waiting_client (admission, 100, TH_FOREGROUND);
  g_usleep (10000);
  g_assert_cmpint (g_atomic_int_get (&small->answer), ==, 0);
  th_admission_release (admission, 600, TH_FOREGROUND);
  client_free (large, 1);
  client_free (small, 1);
}

static void
test_foreground_first (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Client *background, *foreground;

  acquire_now (admission, 1000, TH_FOREGROUND);
  background = waiting_client (admission, 500, TH_BACKGROUND);
  foreground = waiting_client (admission, 900, TH_FOREGROUND);
  th_admission_release (admission, 1000, TH_FOREGROUND);
  g_thread_join (g_steal_pointer (&foreground->thread));
  g_assert_cmpint (foreground->answer, ==, 1);
  g_assert_cmpuint (th_admission_waiting (admission), ==, 1);
  client_free (foreground, 1);
  client_free (background, 1);
}

/* The background takes half at the most, so that the other half is there at once. */
static void
test_background_share (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Client *second;

  acquire_now (admission, 300, TH_BACKGROUND);
  second = waiting_client (admission, 300, TH_BACKGROUND);
  acquire_now (admission, 500, TH_FOREGROUND);
  th_admission_release (admission, 500, TH_FOREGROUND);
  g_assert_cmpint (g_atomic_int_get (&second->answer), ==, 0);
  th_admission_release (admission, 300, TH_BACKGROUND);
  client_free (second, 1);
}

static void
test_beyond_all (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Client *huge, *small;

  acquire_now (admission, 10, TH_FOREGROUND);
  huge = waiting_client (admission, G_MAXUINT64 - 5, TH_FOREGROUND);
  th_admission_release (admission, 10, TH_FOREGROUND);
  g_thread_join (huge->thread);
  g_assert_cmpint (huge->answer, ==, 1);
  small = waiting_client (admission, 1, TH_FOREGROUND);
  th_admission_release (admission, huge->bytes, TH_FOREGROUND);
  client_free (small, 1);
  g_free (huge);
}

static void
test_cancel (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Client *first, *second, *third;

  acquire_now (admission, 1000, TH_FOREGROUND);
  first = waiting_client (admission, 1000, TH_FOREGROUND);
  second = waiting_client (admission, 200, TH_FOREGROUND);
  third = waiting_client (admission, 200, TH_BACKGROUND);
  th_admission_cancel (admission, &first->cancelled);
  client_free (first, 2);
  g_assert_cmpint (g_atomic_int_get (&second->answer), ==, 0);
  th_admission_release (admission, 1000, TH_FOREGROUND);
  client_free (second, 1);
  client_free (third, 1);
}

static void
test_close (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Client *waiting;

  acquire_now (admission, 1000, TH_FOREGROUND);
  waiting = waiting_client (admission, 1, TH_BACKGROUND);
  th_admission_close (admission);
  client_free (waiting, 2);
  client_free (client_new (admission, 1, TH_FOREGROUND), 2);
  th_admission_release (admission, 1000, TH_FOREGROUND);
}

/* Many threads, random sizes: never more than the budget, and everybody gets through. */
typedef struct
{
  ThAdmission *admission;
  guint32 seed;
  ThClass klass;
} Worker;

static gpointer
work (gpointer data)
{
  Worker *worker = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (worker->seed);

  for (guint i = 0; i < 500; i++)
    {
      guint64 bytes = (guint64) g_rand_int_range (rand, 1, BUDGET / 2);

      acquire_now (worker->admission, bytes, worker->klass);
      g_assert_cmpuint (th_admission_in_use (worker->admission), <=, BUDGET);
      th_admission_release (worker->admission, bytes, worker->klass);
    }
  return NULL;
}

static void
test_crowd (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (BUDGET);
  Worker workers[8];
  GThread *threads[8];

  for (guint i = 0; i < 8; i++)
    {
      workers[i] = (Worker){ admission, i, i % 2 == 0 ? TH_FOREGROUND : TH_BACKGROUND };
      threads[i] = g_thread_new ("worker", work, &workers[i]);
    }
  for (guint i = 0; i < 8; i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (th_admission_in_use (admission), ==, 0);
}

/* Nobody waits, and those who do come first. */
static void
test_try (void)
{
  g_autoptr (ThAdmission) admission = th_admission_new (100);

  g_assert_true (th_admission_try (admission, 60, TH_FOREGROUND));
  g_assert_false (th_admission_try (admission, 60, TH_FOREGROUND));
  g_assert_true (th_admission_try (admission, 40, TH_BACKGROUND));
  g_assert_false (th_admission_try (admission, 1, TH_FOREGROUND));
  th_admission_release (admission, 60, TH_FOREGROUND);
  g_assert_false (th_admission_try (admission, 20, TH_BACKGROUND));
  g_assert_true (th_admission_try (admission, 60, TH_FOREGROUND));
  th_admission_release (admission, 60, TH_FOREGROUND);
  th_admission_release (admission, 40, TH_BACKGROUND);
  g_assert_cmpuint (th_admission_in_use (admission), ==, 0);
  th_admission_close (admission);
  g_assert_false (th_admission_try (admission, 1, TH_FOREGROUND));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/admission/fits", test_fits);
  g_test_add_func ("/admission/first-come", test_first_come);
  g_test_add_func ("/admission/foreground-first", test_foreground_first);
  g_test_add_func ("/admission/background-share", test_background_share);
  g_test_add_func ("/admission/beyond-all", test_beyond_all);
  g_test_add_func ("/admission/cancel", test_cancel);
  g_test_add_func ("/admission/close", test_close);
  g_test_add_func ("/admission/crowd", test_crowd);
  g_test_add_func ("/admission/try", test_try);
  return g_test_run ();
}
