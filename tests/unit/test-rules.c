/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-rules.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  const char *name;
  gboolean tumbler;
  const char *text;
  const char *path;
  const char *codec;
  guint64 size;
  const char *place; /* part of the rule that forbids by place, NULL: none does */
  const char *all;   /* of any; NULL: allowed */
} RuleRow;

#define MIB (1024u * 1024u)

static const RuleRow rows[] = {
  { "empty", FALSE, "", "/a/b.png", "png", 1, NULL, NULL },
  { "excluded", FALSE, "[rules]\nexclude=/a;/c", "/a/b.png", "png", 1, "“/a” (/etc/x.conf:2)",
    "“/a” (/etc/x.conf:2)" },
  { "excluded-below", FALSE, "[rules]\nexclude=/a", "/a/x/y/b.png", "png", 1, "[rules]", "/a" },
  { "excluded-file", FALSE, "[rules]\nexclude=/a/b.png", "/a/b.png", "png", 1, "b.png", "b.png" },
  { "neighbour", FALSE, "[rules]\nexclude=/a/b", "/a/bc/d.png", "png", 1, NULL, NULL },
  { "canonical", FALSE, "[rules]\nexclude=//a/./x/../b/", "/a/b/d.png", "png", 1, "a", "a" },
  { "uri", FALSE, "[rules]\nexclude=file:///a%20b", "/a b/d.png", "png", 1, "a%20b", "a%20b" },
  { "home", FALSE, "[rules]\nexclude=~/secret", "/home/of/me/secret/a.png", "", 1, "~", "~" },
  { "variable", FALSE, "[rules]\nexclude=$PLACE/x", "/some/place/x/a.png", "", 1, "$", "$" },
  { "braces", FALSE, "[rules]\nexclude=/${WORD}s", "/words/a.png", "", 1, "$", "$" },
  { "unset", FALSE, "[rules]\nexclude=$NO_SUCH_THING/a", "/a/b.png", "", 1, NULL, NULL },
  { "relative", FALSE, "[rules]\nexclude=a", "/a/b.png", "", 1, NULL, NULL },
  { "all", FALSE, "[rules]\nexclude=/", "/a/b.png", "", 1, "“/”", "“/”" },
  { "included", FALSE, "[rules]\ninclude=/a;/c", "/c/b.png", "png", 1, NULL, NULL },
  { "not-included", FALSE, "[rules]\ninclude=/a", "/c/b.png", "png", 1, "includes", "includes" },
  { "empty-list", FALSE, "[rules]\ninclude=;", "/c/b.png", "png", 1, NULL, NULL },
  { "nonsense-only", FALSE, "[rules]\ninclude=x", "/x/b.png", "png", 1, "includes", "includes" },
  { "excluded-wins", FALSE, "[rules]\ninclude=/a\nexclude=/a/b", "/a/b/c", "", 1, "/a/b", "/a/b" },
  { "small", FALSE, "[rules]\nmax-file-mib=2", "/a", "png", 2 * MIB, NULL, NULL },
  { "large", FALSE, "[rules]\nmax-file-mib=2", "/a", "png", 2 * MIB + 1, NULL,
    "at most 2097152 bytes (/etc/x.conf:2)" },
  { "no-limit", FALSE, "[rules]\nmax-file-mib=0", "/a", "png", G_MAXUINT64, NULL, NULL },
  { "negative", FALSE, "[rules]\nmax-file-mib=-1", "/a", "png", G_MAXUINT64, NULL, NULL },
  { "off", FALSE, "[rules jpeg]\nenabled=false", "/a", "jpeg", 1, NULL, "[rules jpeg]" },
  { "off-other", FALSE, "[rules jpeg]\nenabled=false", "/a", "png", 1, NULL, NULL },
  { "off-unknown", FALSE, "[rules jpeg]\nenabled=false", "/a", "", 1, NULL, NULL },
  { "on-beside-rules", FALSE, "[rules]\nexclude=/a\n[rules jpeg]\nenabled=true", "/a/b", "jpeg", 1,
    "[rules]", "[rules]" },
  { "codec-place", FALSE, "[rules gif]\nexclude=/a", "/a/b", "gif", 1, "[rules gif]", "gif" },
  { "not-boolean", FALSE, "[rules jpeg]\nenabled=perhaps", "/a", "jpeg", 1, NULL, NULL },

  { "t-empty", TRUE, "", "/a/b.jpg", "jpeg", 1, NULL, NULL },
  { "t-disabled", TRUE, "[JPEGThumbnailer]\nDisabled=true\n[PixbufThumbnailer]\nDisabled=true",
    "/a", "jpeg", 1, NULL, "switched off" },
  /* The other one of tumbler does it then. */
  { "t-next", TRUE, "[JPEGThumbnailer]\nDisabled=true", "/a", "jpeg", 1, NULL, NULL },
  { "t-pixbuf", TRUE, "[PixbufThumbnailer]\nDisabled=true", "/a", "png", 1, NULL,
    "[PixbufThumbnailer] is switched off (/etc/x.conf:2)" },
  { "t-pixbuf-jpeg", TRUE, "[PixbufThumbnailer]\nDisabled=true", "/a", "jpeg", 1, NULL, NULL },
  { "t-locations", TRUE, "[PixbufThumbnailer]\nLocations=/m;/n;", "/a/b", "png", 1, "includes",
    "includes" },
  { "t-excludes", TRUE, "[PixbufThumbnailer]\nLocations=/a\nExcludes=/a/b", "/a/b/c", "webp", 1,
    "/a/b", "/a/b" },
  { "t-excludes-blank", TRUE, "[PixbufThumbnailer]\nExcludes=/a\n[JPEGThumbnailer]\nExcludes=/a",
    "/a/b", "", 1, "/a", "/a" },
  { "t-size", TRUE, "[PixbufThumbnailer]\nMaxFileSize=1000", "/a", "png", 1001, NULL, "1000" },
  { "t-size-fits", TRUE, "[PixbufThumbnailer]\nMaxFileSize=1000", "/a", "png", 1000, NULL, NULL },
  { "t-first", TRUE,
    "[JPEGThumbnailer]\nPriority=1\nDisabled=true\n[PixbufThumbnailer]\nPriority=2\nDisabled=true",
    "/a", "jpeg", 1, NULL, "[PixbufThumbnailer]" },
  { "t-epub", TRUE, "[EpubThumbnailer]\nDisabled=true\n[GepubThumbnailer]\nDisabled=true", "/a",
    "png", 1, NULL, NULL },
  { "t-external", TRUE, "[DesktopThumbnailer]\nExcludes=/a", "/a/b", "external", 1, "/a", "/a" },
  { "t-external-apart", TRUE, "[PixbufThumbnailer]\nDisabled=true", "/a/b", "external", 1, NULL,
    NULL },
};

static ThRules *
read_rules (const char *text, gboolean tumbler, ThConf *conf)
{
  th_conf_add_text (conf, "/etc/x.conf", text);
  g_assert_null (th_conf_fault (conf));
  return tumbler ? th_rules_from_tumbler (conf) : th_rules_from_conf (conf);
}

static void
expect (const ThRules *rules, const ThRulesFile *file, ThRulesScope scope, const char *part)
{
  g_autofree char *why = th_rules_forbid (rules, file, scope);

  if (part == NULL)
    g_assert_cmpstr (why, ==, NULL);
  else
    {
      g_test_message ("%s", why);
      g_assert_nonnull (why);
      g_assert_nonnull (strstr (why, part));
    }
}

static void
test_row (gconstpointer data)
{
  const RuleRow *row = data;
  ThRulesFile file = { .path = row->path, .size = row->size, .codec = row->codec };
  g_autoptr (ThConf) conf = th_conf_new ();
  g_autoptr (ThRules) rules = read_rules (row->text, row->tumbler, conf);

  expect (rules, &file, TH_RULES_PLACE, row->place);
  expect (rules, &file, TH_RULES_ALL, row->all);
  if (th_rules_are_empty (rules))
    g_assert_null (row->all);
}

/* One of the two paths is enough to be excluded; to be included the one that was asked for counts.
 */
static void
test_symlinks (void)
{
  g_autofree char *folder = g_dir_make_tmp ("thimble-rules-XXXXXX", NULL);
  g_autofree char *real = g_build_filename (folder, "real", NULL);
  g_autofree char *link = g_build_filename (folder, "link", NULL);
  g_autofree char *text = g_strdup_printf ("[rules]\nexclude=%s", link);
  g_autofree char *below = g_build_filename (real, "a.png", NULL);
  g_autoptr (ThConf) conf = th_conf_new ();
  g_autoptr (ThRules) rules = NULL;
  ThRulesFile direct = { .path = below, .codec = "png" };
  ThRulesFile behind = { .path = "/elsewhere/a.png", .real_path = below, .codec = "png" };

  g_assert_no_errno (g_mkdir (real, 0700));
  g_assert_no_errno (symlink ("real", link));
  rules = read_rules (text, FALSE, conf);
  expect (rules, &direct, TH_RULES_PLACE, "excludes");
  expect (rules, &behind, TH_RULES_PLACE, "excludes");
  g_unlink (link);
  g_rmdir (real);
  g_rmdir (folder);
}

static void
test_problems (void)
{
  g_autoptr (ThConf) conf = th_conf_new ();
  GPtrArray *problems = th_conf_problems (conf);
  g_autoptr (ThRules) rules =
      read_rules ("[rules]\nexclude=a;/b;$NO_SUCH_THING\nmax-file-mib=x\nexcludes=/c\n"
                  "[rules png]\nenabled=maybe\n[limits]\nwhatever=1",
                  FALSE, conf);
  static const char *const expected[] = {
    "/etc/x.conf:2: [rules] exclude: “a”",
    "/etc/x.conf:2: [rules] exclude: “$NO_SUCH_THING”",
    "/etc/x.conf:3: [rules] max-file-mib: “x”",
    "/etc/x.conf:4: [rules] excludes: ",
    "/etc/x.conf:6: [rules png] enabled: “maybe”",
  };

  g_assert_false (th_rules_are_empty (rules));
  g_assert_cmpuint (problems->len, ==, G_N_ELEMENTS (expected));
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    g_assert_true (g_str_has_prefix (problems->pdata[i], expected[i]));
}

static void
test_codecs (void)
{
  static const char *const codecs[] = { "gif", "jpeg", NULL };
  g_autoptr (ThConf) conf = th_conf_new ();
  GPtrArray *problems = th_conf_problems (conf);
  g_autoptr (ThRules) rules =
      read_rules ("[rules]\nexclude=/a\n[rules jpeg]\nenabled=false\n[rules jpg]\nenabled=false\n"
                  "[rules external]\nenabled=false",
                  FALSE, conf);

  th_rules_check_codecs (rules, codecs, conf);
  g_assert_cmpuint (problems->len, ==, 1);
  g_assert_nonnull (strstr (problems->pdata[0], "/etc/x.conf:5: [rules jpg]: "));
}

/* As tumbler brings it: nothing of it is about pictures. */
static void
test_shipped (void)
{
  static const char text[] = "[JPEGThumbnailer]\nDisabled=false\nPriority=3\nLocations=\n"
                             "Excludes=\nMaxFileSize=0\n[PixbufThumbnailer]\nDisabled=false\n"
                             "Priority=2\nLocations=\nExcludes=\nMaxFileSize=0\n"
                             "[CoverThumbnailer]\nDisabled=true\nLocations=~/movies\nAPIKey=\n";
  g_autoptr (ThConf) conf = th_conf_new ();
  GPtrArray *problems = th_conf_problems (conf);
  g_autoptr (ThRules) rules = read_rules (text, TRUE, conf);

  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_true (th_rules_are_empty (rules));
}

int
main (int argc, char **argv)
{
  g_setenv ("HOME", "/home/of/me", TRUE);
  g_setenv ("PLACE", "/some/place", TRUE);
  g_setenv ("WORD", "word", TRUE);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/rules/%s", rows[i].name);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  g_test_add_func ("/rules/symlinks", test_symlinks);
  g_test_add_func ("/rules/problems", test_problems);
  g_test_add_func ("/rules/codecs", test_codecs);
  g_test_add_func ("/rules/shipped", test_shipped);
  return g_test_run ();
}
