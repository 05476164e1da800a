/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <seccomp.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cache/th-png-text.h"
#include "cache/th-uri.h"
#include "thumbnailer/thumbnailer-fixture.h"

/* What gnome-desktop calls the file inside its sandbox. */
#define ALIAS "/tmp/gnome-desktop-file-to-thumbnail"

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *size;
    ThSize made;
  } rows[] = {
    { "128", { 128, 85 } },   { "1", { 1, 1 } },         { "150", { 150, 100 } },
    { "300", { 300, 200 } },  { "512", { 300, 200 } }, /* never enlarged */
    { "4096", { 300, 200 } }, { "99999", { 300, 200 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      fixture_run (fixture, "-s", rows[i].size, fixture->input, fixture->output, NULL);
      assert_made (fixture, fixture->output, rows[i].made);
    }
  fixture_run (fixture, fixture->input, fixture->output, NULL);
  assert_made (fixture, fixture->output, (ThSize){ 256, 171 });
  g_assert_cmpuint (fixture_count (fixture), ==, 2);
}

static void
test_options (Fixture *fixture, gconstpointer data)
{
  const ThSize made = { 64, 43 };

  fixture_run (fixture, "-s64", fixture->input, fixture->output, NULL);
  assert_made (fixture, fixture->output, made);
  fixture_run (fixture, fixture->input, "--size=64", fixture->output, NULL);
  assert_made (fixture, fixture->output, made);
  fixture_run (fixture, fixture->input, fixture->output, "--size", "64", NULL);
  assert_made (fixture, fixture->output, made);
  fixture_run (fixture, "-s", "64", "--", "picture.png", "-out", NULL);
  g_free (fixture->output);
  fixture->output = g_build_filename (fixture->folder, "-out", NULL);
  assert_made (fixture, fixture->output, made);
}

static void
test_usage (Fixture *fixture, gconstpointer data)
{
  static const char *const sizes[] = { "0",   "-1",  "",
                                       "abc", "12x", "0x10",
                                       "1e3", " 5",  "99999999999999999999" };

  fixture_run (fixture, NULL);
  assert_failed (fixture, 2);
  fixture_run (fixture, fixture->input, NULL);
  assert_failed (fixture, 2);
  fixture_run (fixture, fixture->input, fixture->output, "more", NULL);
  assert_failed (fixture, 2);
  fixture_run (fixture, "-x", fixture->input, fixture->output, NULL);
  assert_failed (fixture, 2);
  fixture_run (fixture, fixture->input, fixture->output, "-s", NULL);
  assert_failed (fixture, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      fixture_run (fixture, "-s", sizes[i], fixture->input, fixture->output, NULL);
      assert_failed (fixture, 2);
    }
  g_assert_cmpuint (fixture_count (fixture), ==, 1);
}

static void
test_answers (Fixture *fixture, gconstpointer data)
{
  fixture_run (fixture, "--version", NULL);
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_cmpstr (fixture->out, ==, "thimble-thumbnailer " TH_VERSION "\n");
  fixture_run (fixture, "--help", NULL);
  g_assert_cmpint (fixture->status, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "INPUT OUTPUT"));
  g_assert_cmpstr (fixture->err, ==, "");
}

/* Each as a path, relative and absolute, and as a URI. */
static void
test_names (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = {
    "a b.png", "100%.png",     "%41.png", "a#b?c.png", "new\nline.png", "[x].png", "'\".png",
    "noext",   "\xff\xfe.png", "x:y.png", "-s",        "größe.png",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (fixture->folder, names[i], NULL);
      g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

      fixture_draw (path);
      fixture_run (fixture, "-s", "150", "--", names[i], fixture->output, NULL);
      assert_made (fixture, fixture->output, (ThSize){ 150, 100 });
      fixture_run (fixture, "-s", "100", path, fixture->output, NULL);
      assert_made (fixture, fixture->output, (ThSize){ 100, 67 });
      fixture_run (fixture, "-s", "50", uri, fixture->output, NULL);
      assert_made (fixture, fixture->output, (ThSize){ 50, 33 });
    }
}

static char *
read_key (const char *path, const char *key)
{
  g_autoptr (ThPngText) text = th_png_text_read (path, NULL);

  g_assert_nonnull (text);
  return g_strdup (th_png_text_get (text, key));
}

/* For those that name the final place in the cache. */
static void
test_keys (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = th_uri_from_path (fixture->input);
  g_autofree char *said_uri = NULL;
  g_autofree char *said_time = NULL;
  g_autofree char *said_type = NULL;
  g_autofree char *mtime = NULL;
  struct stat st;

  g_assert_cmpint (stat (fixture->input, &st), ==, 0);
  mtime = g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) st.st_mtim.tv_sec);
  fixture_run (fixture, "picture.png", "out", NULL);
  assert_made (fixture, fixture->output, (ThSize){ 256, 171 });
  said_uri = read_key (fixture->output, "Thumb::URI");
  said_time = read_key (fixture->output, "Thumb::MTime");
  said_type = read_key (fixture->output, "Thumb::Mimetype");
  g_assert_cmpstr (said_uri, ==, uri);
  g_assert_cmpstr (said_time, ==, mtime);
  g_assert_cmpstr (said_type, ==, "image/png");
}

static void
test_alias (Fixture *fixture, gconstpointer data)
{
  g_autofree char *alias = g_strdup_printf (ALIAS "-test-%d.png", (int) getpid ());
  g_autofree char *uri = g_strconcat ("file://", alias, NULL);
  g_autofree char *said = NULL;

  fixture_draw (alias);
  fixture_run (fixture, uri, fixture->output, NULL);
  assert_made (fixture, fixture->output, (ThSize){ 256, 171 });
  said = read_key (fixture->output, "Thumb::URI");
  g_assert_null (said);
  g_unlink (alias);
}

static void
test_existing_output (Fixture *fixture, gconstpointer data)
{
  g_assert_true (g_file_set_contents (fixture->output, "", 0, NULL));
  fixture_run (fixture, "-s", "150", fixture->input, fixture->output, NULL);
  assert_made (fixture, fixture->output, (ThSize){ 150, 100 });
  fixture_run (fixture, "-s", "100", fixture->input, fixture->output, NULL);
  assert_made (fixture, fixture->output, (ThSize){ 100, 67 });
  g_assert_cmpuint (fixture_count (fixture), ==, 2);
}

/* The file may be written, the folder not: longer and shorter than what was there. */
static void
test_in_place (Fixture *fixture, gconstpointer data)
{
  g_autofree char *junk = g_strnfill (200000, 'x');

  if (geteuid () == 0)
    {
      g_test_skip ("1 case left out: root may write anywhere");
      return;
    }
  g_assert_true (g_file_set_contents (fixture->output, junk, -1, NULL));
  g_assert_cmpint (g_chmod (fixture->folder, 0500), ==, 0);
  fixture_run (fixture, "-s", "150", fixture->input, fixture->output, NULL);
  assert_made (fixture, fixture->output, (ThSize){ 150, 100 });
  fixture_run (fixture, "-s", "300", fixture->input, fixture->output, NULL);
  assert_made (fixture, fixture->output, (ThSize){ 300, 200 });
  /* Neither of them. */
  g_assert_cmpint (g_chmod (fixture->output, 0400), ==, 0);
  fixture_run (fixture, "-s", "150", fixture->input, fixture->output, NULL);
  assert_failed (fixture, 1);
}

static void
test_bad_inputs (Fixture *fixture, gconstpointer data)
{
  g_autofree char *broken = g_build_filename (fixture->folder, "broken.png", NULL);
  g_autofree char *fifo = g_build_filename (fixture->folder, "fifo", NULL);
  const char *const inputs[] = {
    "missing.png",
    "",
    fixture->folder,
    broken,
    fifo,
    "/dev/zero",
    "http://example.org/a.png",
    "file:///%",
    "file://elsewhere/a.png",
    "mis\nsing\x1b[31m.png",
  };

  g_assert_true (g_file_set_contents (broken, "\x89PNG\r\n\x1a\n", -1, NULL));
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_true (g_file_set_contents (fixture->output, "old", -1, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (inputs); i++)
    {
      g_autofree char *kept = NULL;

      fixture_run (fixture, inputs[i], fixture->output, NULL);
      assert_failed (fixture, 1);
      g_assert_true (g_file_get_contents (fixture->output, &kept, NULL, NULL));
      g_assert_cmpstr (kept, ==, "old");
    }
  g_assert_cmpuint (fixture_count (fixture), ==, 4);
}

static void
test_bad_outputs (Fixture *fixture, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (fixture->folder, "fifo", NULL);
  const char *const outputs[] = { "",   "no/such/folder", ".", "/dev/null", "/proc/self/fd/1",
                                  fifo, "picture.png/" };
  struct stat st;

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (outputs); i++)
    {
      fixture_run (fixture, fixture->input, outputs[i], NULL);
      assert_failed (fixture, 1);
    }
  g_assert_cmpint (stat ("/dev/null", &st), ==, 0);
  g_assert_true (S_ISCHR (st.st_mode));
  g_assert_cmpuint (fixture_count (fixture), ==, 2);
}

/* No environment, no streams. */
static void
test_bare (Fixture *fixture, gconstpointer data)
{
  g_autofree char *line = g_strdup_printf ("exec env -i '%s' '%s' '%s' <&- >&- 2>&-",
                                           fixture->program, fixture->input, fixture->output);
  const char *const argv[] = { "sh", "-c", line, NULL };

  fixture_run_argv (fixture, argv);
  assert_made (fixture, fixture->output, (ThSize){ 256, 171 });
}

/* gnome-desktop's filter: errors for some calls, everything else goes through. */
static char *
write_outer_filter (const Fixture *fixture)
{
  static const int refused[] = { SCMP_SYS (unshare),   SCMP_SYS (mount),         SCMP_SYS (ptrace),
                                 SCMP_SYS (mbind),     SCMP_SYS (set_mempolicy), SCMP_SYS (setns),
                                 SCMP_SYS (pivot_root) };
  g_autofree char *path = g_build_filename (fixture->folder, "filter", NULL);
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ALLOW);
  int fd = g_open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), refused[i], 0);
  seccomp_rule_add (filter, SCMP_ACT_ERRNO (ENOSYS), SCMP_SYS (clone3), 0);
  g_assert_cmpint (seccomp_export_bpf (filter, fd), ==, 0);
  seccomp_release (filter);
  close (fd);
  return g_steal_pointer (&path);
}

static char *
quote (const char *text)
{
  return g_shell_quote (text);
}

/* As gnome-desktop calls it (its order of arguments); the program lies where the build put it. */
static char *
sandboxed (const Fixture *fixture, const char *filter, const char *command)
{
  g_autofree char *program = quote (fixture->program);
  g_autofree char *input = quote (fixture->input);
  g_autofree char *folder = quote (fixture->folder);
  g_autofree char *opened = quote (filter);

  return g_strdup_printf (
      "exec bwrap --ro-bind /usr /usr --ro-bind-try /etc/ld.so.cache /etc/ld.so.cache"
      " --symlink usr/bin /bin --symlink usr/lib64 /lib64 --symlink usr/lib /lib"
      " --symlink usr/sbin /sbin --proc /proc --dev /dev --chdir / --setenv GIO_USE_VFS local"
      /* Of no use to anybody but a sanitizer, whose leak check needs ptrace. */
      " --setenv ASAN_OPTIONS detect_leaks=0"
      " --unshare-all --die-with-parent --bind %s /tmp --ro-bind %s " ALIAS ".png"
      " --ro-bind %s /program --seccomp 9 %s 9<%s",
      folder, input, program, command, opened);
}

static void
test_in_bubblewrap (Fixture *fixture, gconstpointer data)
{
  g_autofree char *filter = write_outer_filter (fixture);
  g_autofree char *probe = sandboxed (fixture, filter, "/bin/true");
  g_autofree char *line = sandboxed (fixture, filter,
                                     "/program -s 128 file://" ALIAS ".png"
                                     " /tmp/gnome-desktop-thumbnailer.png");
  g_autofree char *output =
      g_build_filename (fixture->folder, "gnome-desktop-thumbnailer.png", NULL);
  g_autofree char *said = NULL;
  const char *const try[] = { "sh", "-c", probe, NULL };
  const char *const argv[] = { "sh", "-c", line, NULL };

  fixture_run_argv (fixture, try);
  if (fixture->status != 0)
    {
      g_test_message ("%s", fixture->err);
      g_test_skip ("1 case left out: bubblewrap is missing or not allowed here");
      return;
    }
  fixture_run_argv (fixture, argv);
  assert_made (fixture, output, (ThSize){ 128, 85 });
  said = read_key (output, "Thumb::URI");
  g_assert_null (said);
}

/* Neither ends by a signal nor leaves half a file. */
static void
test_file_size_limit (Fixture *fixture, gconstpointer data)
{
  g_autofree char *line = g_strdup_printf ("ulimit -f 0; exec %s %s %s", fixture->program,
                                           fixture->input, fixture->output);
  const char *const argv[] = { "sh", "-c", line, NULL };

  fixture_run_argv (fixture, argv);
  assert_failed (fixture, 1);
}

typedef void (*Test) (Fixture *fixture, gconstpointer data);

static const struct
{
  const char *path;
  Test run;
} tests[] = {
  { "/thumbnailer/sizes", test_sizes },
  { "/thumbnailer/options", test_options },
  { "/thumbnailer/usage", test_usage },
  { "/thumbnailer/answers", test_answers },
  { "/thumbnailer/names", test_names },
  { "/thumbnailer/keys", test_keys },
  { "/thumbnailer/alias", test_alias },
  { "/thumbnailer/existing-output", test_existing_output },
  { "/thumbnailer/in-place", test_in_place },
  { "/thumbnailer/bad-inputs", test_bad_inputs },
  { "/thumbnailer/bad-outputs", test_bad_outputs },
  { "/thumbnailer/file-size-limit", test_file_size_limit },
  { "/thumbnailer/bare", test_bare },
  { "/thumbnailer/in-bubblewrap", test_in_bubblewrap },
};

static void
skip_all (Fixture *fixture, gconstpointer data)
{
  g_test_skip ("this build has no PNG codec");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, TH_HAVE_PNG ? tests[i].run : skip_all,
                fixture_tear_down);
  return g_test_run ();
}
