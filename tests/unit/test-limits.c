/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-limits.h"

typedef struct
{
  guint64 width, height;
  ThStatus expected;
} SizeRow;

static const SizeRow rows[] = {
  { 1, 1, TH_STATUS_OK },
  { 300000000, 1, TH_STATUS_OK },
  { 1, 300000000, TH_STATUS_OK },
  { 20000, 15000, TH_STATUS_OK },
  { 300000001, 1, TH_STATUS_TOO_LARGE },
  { 20000, 15001, TH_STATUS_TOO_LARGE },
  /* The product wraps around to 0. */
  { G_GUINT64_CONSTANT (1) << 32, G_GUINT64_CONSTANT (1) << 32, TH_STATUS_TOO_LARGE },
  { G_MAXUINT64, G_MAXUINT64, TH_STATUS_TOO_LARGE },
  { 1, G_MAXUINT64, TH_STATUS_TOO_LARGE },
  { 0, 5, TH_STATUS_CORRUPT },
  { 5, 0, TH_STATUS_CORRUPT },
  { 0, 0, TH_STATUS_CORRUPT },
};

static void
test_size (void)
{
  ThLimits limits;

  th_limits_init (&limits);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      const ThStatus got = th_limits_check_size (&limits, rows[i].width, rows[i].height, &error);

      g_assert_cmpint (got, ==, rows[i].expected);
      g_assert_true ((error == NULL) == (got == TH_STATUS_OK));
      if (error != NULL)
        g_assert_cmpint (error->code, ==, th_status_to_error (got));
    }
}

static void
test_defaults (void)
{
  ThLimits limits;

  th_limits_init (&limits);
  g_assert_cmpuint (limits.max_pixels, ==, 300000000);
  g_assert_cmpuint (limits.max_plan_bytes, ==, 512 << 20);
  g_assert_cmpuint (limits.budget_bytes, >, 0);
  g_assert_cmpuint (limits.budget_bytes, <=, 1 << 30);
  g_assert_cmpuint (limits.cpu_ms, ==, 10000);
  g_assert_cmpuint (limits.wall_ms, ==, 20000);
}

/* Every status has its words, and only pixels are pixels. */
static void
test_statuses (void)
{
  for (guint status = 0; status < TH_N_STATUSES; status++)
    {
      g_assert_nonnull (th_status_name ((ThStatus) status));
      g_assert_nonnull (th_status_describe ((ThStatus) status));
      g_assert_cmpint (th_status_to_error ((ThStatus) status), <=, TH_ERROR_OTHER);
      g_assert_true (th_status_has_pixels ((ThStatus) status)
                     == (status == TH_STATUS_OK || status == TH_STATUS_PARTIAL));
      for (guint other = 0; other < status; other++)
        g_assert_cmpstr (th_status_name ((ThStatus) status), !=, th_status_name ((ThStatus) other));
    }
  /* A number off the wire that is none. */
  g_assert_cmpstr (th_status_name ((ThStatus) 200), ==, th_status_name (TH_STATUS_PROTOCOL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limits/size", test_size);
  g_test_add_func ("/limits/defaults", test_defaults);
  g_test_add_func ("/limits/statuses", test_statuses);
  return g_test_run ();
}
