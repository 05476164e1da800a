/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "wire/th-plan.h"

#include <math.h>

static void
test_safe_text (void)
{
  static const struct
  {
    const char *in;
    const char *out;
  } rows[] = {
    { "a\nb\tc\x7f", "a b c " },
    { "\xff", "\xef\xbf\xbd" },
    { "a\xe2\x80\xae"
      "b",
      "a b" }, /* right-to-left override */
    { "\x1b[31mred", " [31mred" },
    { "a\xc2\x9b"
      "b",
      "a b" }, /* C1 */
    { "größer als 1 €", "größer als 1 €" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *safe = th_plan_safe_text (rows[i].in);

      g_assert_cmpstr (safe, ==, rows[i].out);
    }
}

static ThWirePlan
good_plan (void)
{
  ThWireMessage message;

  th_wire_init (&message, TH_WIRE_PLAN, 1);
  message.plan.full = (ThSize){ 640, 480 };
  message.plan.channels = 3;
  message.plan.pages = message.plan.frames = 1;
  th_wire_set_text (message.plan.codec, sizeof message.plan.codec, "png");
  th_wire_set_text (message.plan.mime_type, sizeof message.plan.mime_type, "image/svg+xml");
  return message.plan;
}

static void
test_plan_faults (void)
{
  static const char *const mime_types[] = {
    "", "image", "image/", "/png", "image/png\n", "image/a/b", "image/p ng", "image/p\xc3\xa9ng",
  };
  static const char *const names[] = { "", "p ng", "../png", "PNG" };
  ThLimits limits;
  ThWirePlan plan = good_plan ();

  th_limits_init (&limits);
  g_assert_null (th_plan_fault (&plan, &limits));
  plan.full.width = 0;
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  plan.full = (ThSize){ G_MAXUINT32, G_MAXUINT32 };
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  for (guint32 channels = 0; channels < 6; channels++)
    {
      plan = good_plan ();
      plan.channels = channels;
      g_assert_cmpint (th_plan_fault (&plan, &limits) == NULL, ==, channels == 3 || channels == 4);
    }
  plan = good_plan ();
  plan.duration = NAN;
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  plan.duration = -1;
  g_assert_nonnull (th_plan_fault (&plan, &limits));
  for (gsize i = 0; i < G_N_ELEMENTS (mime_types); i++)
    {
      plan = good_plan ();
      th_wire_set_text (plan.mime_type, sizeof plan.mime_type, mime_types[i]);
      g_assert_nonnull (th_plan_fault (&plan, &limits));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      plan = good_plan ();
      th_wire_set_text (plan.codec, sizeof plan.codec, names[i]);
      g_assert_nonnull (th_plan_fault (&plan, &limits));
    }
}

static void
test_layout (void)
{
  static const guint32 boxes[] = { 256, 128 };
  static const guint32 huge[] = { G_MAXUINT32, G_MAXUINT32, G_MAXUINT32, G_MAXUINT32 };
  ThLayout layout;

  g_assert_true (th_layout_init (&layout, (ThSize){ 512, 256 }, FALSE, 3, boxes, 2));
  g_assert_cmpuint (layout.offsets[0], ==, 0);
  g_assert_cmpuint (layout.offsets[1], ==, 256 * 128 * 3);
  g_assert_cmpuint (layout.total, ==, 256 * 128 * 3 + 128 * 64 * 3);
  g_assert_false (th_layout_init (&layout, (ThSize){ 1, 1 }, TRUE, 4, huge, 4));
}

static void
test_statuses (void)
{
  g_assert_true (th_plan_may_say (TH_STATUS_OK));
  g_assert_true (th_plan_may_say (TH_STATUS_CORRUPT));
  g_assert_true (th_plan_may_say (TH_STATUS_NO_CONTENT));
  g_assert_false (th_plan_may_say (TH_STATUS_STOPPED));
  g_assert_false (th_plan_may_say (TH_STATUS_CRASHED));
  g_assert_false (th_plan_may_say (TH_STATUS_CANCELLED));
  g_assert_false (th_plan_may_say (TH_N_STATUSES));
  g_assert_false (th_plan_may_say (G_MAXUINT32));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/safe-text", test_safe_text);
  g_test_add_func ("/plan/faults", test_plan_faults);
  g_test_add_func ("/plan/layout", test_layout);
  g_test_add_func ("/plan/statuses", test_statuses);
  return g_test_run ();
}
