/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-outbox.h"

#define MS 1000

typedef struct
{
  ThOutbox *outbox;
  ThRequest *request;
} Box;

static void
box_init (Box *box, const char *const *uris, guint n, ThClass klass)
{
  g_autofree const char **types = g_new (const char *, (gsize) n + 1);

  for (guint i = 0; i < n; i++)
    types[i] = "image/png";
  box->outbox = th_outbox_new ();
  box->request = th_request_new (uris, types, n, "normal", klass);
  th_request_rank (box->request);
  th_outbox_start (box->outbox, box->request);
}

static void
box_clear (Box *box)
{
  th_outbox_free (box->outbox);
  th_request_unref (box->request);
}

/* The next event: of this kind, with so many URIs of which this is the first. */
static void
expect (Box *box, ThEventKind kind, guint n, guint first, const char *message)
{
  g_auto (ThEvent) event = { 0 };

  g_assert_true (th_outbox_next (box->outbox, &event));
  g_assert_cmpint (event.kind, ==, kind);
  g_assert_cmpuint (event.n, ==, n);
  g_assert_cmpuint (event.first, ==, first);
  g_assert_cmpstr (event.message, ==, message);
}

static void
expect_nothing (Box *box)
{
  g_auto (ThEvent) event = { 0 };

  g_assert_false (th_outbox_next (box->outbox, &event));
}

static void
settle (Box *box, guint32 index, gint32 code, const char *message, gint64 now)
{
  th_outbox_settle (box->outbox, box->request, index, code, g_strdup (message), now);
}

static const char *const four[] = { "a", "b", "c", "d" };

/* What is made before the cheap pass is over waits for the one ready of what was there already;
 * errors do not. */
static void
test_valid_first (void)
{
  Box box;

  box_init (&box, four, 4, TH_FOREGROUND);
  expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
  settle (&box, 3, TH_OUTCOME_READY, NULL, 0);
  th_outbox_valid (box.outbox, box.request, 0);
  settle (&box, 1, TH_ERROR_OTHER, "b is bad", 0);
  expect (&box, TH_EVENT_ERROR, 1, 1, "b is bad");
  expect_nothing (&box);
  th_outbox_valid (box.outbox, box.request, 2);
  th_outbox_checked (box.outbox, box.request, 0);
  expect (&box, TH_EVENT_READY, 2, 0, NULL);
  expect (&box, TH_EVENT_READY, 1, 3, NULL);
  expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
  expect_nothing (&box);
  box_clear (&box);
}

static void
test_settled_once (void)
{
  Box box;

  box_init (&box, four, 2, TH_FOREGROUND);
  expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
  th_outbox_checked (box.outbox, box.request, 0);
  settle (&box, 0, TH_OUTCOME_READY, NULL, 0);
  settle (&box, 0, TH_ERROR_OTHER, "again", 0);
  expect (&box, TH_EVENT_READY, 1, 0, NULL);
  expect_nothing (&box);
  settle (&box, 1, TH_OUTCOME_READY, NULL, 0);
  expect (&box, TH_EVENT_READY, 1, 1, NULL);
  expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
  box_clear (&box);
}

/* A batch comes when its time does, one event a number, a line a file. */
static void
test_batch_by_time (void)
{
  Box box;

  box_init (&box, four, 4, TH_BACKGROUND);
  expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
  th_outbox_checked (box.outbox, box.request, 0);
  settle (&box, 2, TH_ERROR_OTHER, "c", 1000 * MS);
  settle (&box, 0, TH_OUTCOME_READY, NULL, 1100 * MS);
  settle (&box, 1, TH_ERROR_OTHER, "b", 1200 * MS);
  g_assert_cmpint (th_outbox_due (box.outbox), ==, 1250 * MS);
  th_outbox_flush_due (box.outbox, 1249 * MS);
  expect_nothing (&box);
  th_outbox_flush_due (box.outbox, 1250 * MS);
  expect (&box, TH_EVENT_READY, 1, 0, NULL);
  expect (&box, TH_EVENT_ERROR, 2, 2, "c\nb");
  g_assert_cmpint (th_outbox_due (box.outbox), ==, 0);
  settle (&box, 3, TH_ERROR_INVALID_FORMAT, "d", 1300 * MS);
  expect (&box, TH_EVENT_ERROR, 1, 3, "d");
  expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
  /* What was due for it is void. */
  th_outbox_flush_due (box.outbox, 9000 * MS);
  g_assert_cmpint (th_outbox_due (box.outbox), ==, 0);
  expect_nothing (&box);
  box_clear (&box);
}

static void
test_batch_by_size (void)
{
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  Box box;

  for (guint i = 0; i < 300; i++)
    g_ptr_array_add (uris, g_strdup_printf ("file:///%u", i));
  box_init (&box, (const char *const *) uris->pdata, uris->len, TH_BACKGROUND);
  expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
  for (guint i = 0; i < 100; i++)
    settle (&box, i, TH_OUTCOME_READY, NULL, 0);
  expect_nothing (&box);
  th_outbox_checked (box.outbox, box.request, 0);
  for (guint i = 100; i < 300; i++)
    settle (&box, i, TH_OUTCOME_READY, NULL, 0);
  expect (&box, TH_EVENT_READY, 256, 0, NULL);
  expect (&box, TH_EVENT_READY, 44, 256, NULL);
  expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
  box_clear (&box);
}

/* The same URI comes as often as it was listed, in an event of its own each time. */
static void
test_repeated (void)
{
  static const char *const uris[] = { "a", "b", "a", "a", "c" };
  Box box;

  box_init (&box, uris, 5, TH_FOREGROUND);
  expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
  for (guint i = 0; i < 5; i++)
    th_outbox_valid (box.outbox, box.request, i);
  th_outbox_checked (box.outbox, box.request, 0);
  expect (&box, TH_EVENT_READY, 3, 0, NULL);
  expect (&box, TH_EVENT_READY, 1, 2, NULL);
  expect (&box, TH_EVENT_READY, 1, 3, NULL);
  expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
  box_clear (&box);
}

static void
test_dequeue (void)
{
  Box box;

  for (guint klass = 0; klass < TH_N_CLASSES; klass++)
    {
      box_init (&box, four, 4, (ThClass) klass);
      settle (&box, 0, TH_ERROR_OTHER, "a", 0);
      settle (&box, 1, TH_OUTCOME_READY, NULL, 0);
      th_outbox_dequeue (box.outbox, box.request);
      settle (&box, 2, TH_ERROR_OTHER, "c", 0);
      th_outbox_checked (box.outbox, box.request, 0);
      th_outbox_flush_due (box.outbox, 9000 * MS);
      th_outbox_dequeue (box.outbox, box.request);
      expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
      expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
      expect_nothing (&box);
      box_clear (&box);
    }
}

/* All that has no answer yet gets the same one, at once, repeated URIs apart. */
static void
test_give_up (void)
{
  static const char *const uris[] = { "a", "b", "a", "c", "d" };
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint32 i = 0; i < 5; i++)
    g_array_append_val (all, i);
  for (guint klass = 0; klass < TH_N_CLASSES; klass++)
    {
      Box box;

      box_init (&box, uris, 5, (ThClass) klass);
      expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
      th_outbox_valid (box.outbox, box.request, 4);
      th_outbox_give_up (box.outbox, box.request, all, TH_ERROR_OTHER, "gone");
      th_outbox_give_up (box.outbox, box.request, all, TH_ERROR_OTHER, "gone");
      expect (&box, TH_EVENT_ERROR, 3, 0, "gone");
      expect (&box, TH_EVENT_ERROR, 1, 2, "gone");
      expect_nothing (&box);
      th_outbox_checked (box.outbox, box.request, 0);
      expect (&box, TH_EVENT_READY, 1, 4, NULL);
      expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
      expect_nothing (&box);
      box_clear (&box);
    }
}

static void
test_give_up_dequeued (void)
{
  g_autoptr (GArray) one = g_array_new (FALSE, TRUE, sizeof (guint32));
  Box box;

  g_array_set_size (one, 1);
  box_init (&box, four, 4, TH_FOREGROUND);
  th_outbox_dequeue (box.outbox, box.request);
  th_outbox_give_up (box.outbox, box.request, one, TH_ERROR_OTHER, "gone");
  expect (&box, TH_EVENT_STARTED, 0, 0, NULL);
  expect (&box, TH_EVENT_FINISHED, 0, 0, NULL);
  expect_nothing (&box);
  box_clear (&box);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/outbox/valid-first", test_valid_first);
  g_test_add_func ("/outbox/settled-once", test_settled_once);
  g_test_add_func ("/outbox/batch-by-time", test_batch_by_time);
  g_test_add_func ("/outbox/batch-by-size", test_batch_by_size);
  g_test_add_func ("/outbox/repeated", test_repeated);
  g_test_add_func ("/outbox/dequeue", test_dequeue);
  g_test_add_func ("/outbox/give-up", test_give_up);
  g_test_add_func ("/outbox/give-up-dequeued", test_give_up_dequeued);
  return g_test_run ();
}
