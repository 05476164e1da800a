/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One suite for two services: thimbled, and tumblerd where that is installed. Each case is put into
 * words as it is seen from the bus and in the cache. Where the two differ on purpose, both answers
 * are here and docs/differences-from-tumbler.md names the case, which the suite checks.
 *
 * TH_TEST_SERVICE: path of the service; "tumblerd" means the one that is installed. */
#include "config.h"

#include <string.h>

#include "conformance.h"

static char *
find_tumblerd (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/usr/lib", 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/usr/lib", name, "tumbler-1/tumblerd", NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return NULL;
}

/* NULL where it is tumblerd and that is not installed. Caller frees. */
static char *
find_service (void)
{
  const char *service = g_getenv ("TH_TEST_SERVICE");

  if (service == NULL)
    return test_program ("../src/service/thimbled");
  return strcmp (service, "tumblerd") == 0 ? find_tumblerd () : g_strdup (service);
}

static void
set_up (Conformance *conformance, gconstpointer data)
{
  conformance->program = find_service ();
  if (conformance->program == NULL)
    return;
  conformance->is_tumbler = g_str_has_suffix (conformance->program, "/tumblerd");
  if (conformance->is_tumbler)
    g_unsetenv ("G_DEBUG"); /* which would turn its warnings into crashes */
  conformance->bus = test_bus_up (NULL);
  test_bus_start (conformance->bus, conformance->program);
  conformance->client = test_client_new (conformance->bus);
}

/* tumblerd does not end at SIGTERM with status 0. */
static void
tear_down (Conformance *conformance, gconstpointer data)
{
  if (conformance->program == NULL)
    return;
  test_client_free (conformance->client);
  if (conformance->is_tumbler)
    {
      g_subprocess_force_exit (conformance->bus->daemon);
      g_assert_true (g_subprocess_wait (conformance->bus->daemon, NULL, NULL));
      g_clear_object (&conformance->bus->daemon);
    }
  test_bus_down (conformance->bus);
  g_free (conformance->program);
}

/* Names of files in place of URIs. */
static void
add_names (GString *text, char **uris)
{
  for (char **uri = uris; *uri != NULL; uri++)
    {
      const char *slash = strrchr (*uri, '/');

      g_string_append_printf (text, "%s%s", uri == uris ? "" : " ",
                              slash != NULL ? slash + 1 : *uri);
    }
}

static char *
event_words (const TestEvent *event)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (event->kind == TEST_READY)
    g_string_append (text, "Ready(");
  else
    g_string_append_printf (text, "Error %d(", event->code);
  add_names (text, event->uris);
  g_string_append_c (text, ')');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static int
compare_words (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What begins or ends a request out of order is told too. */
char *
conformance_answers (Conformance *conformance, guint32 handle, gboolean sorted)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  TestClient *client = conformance->client;
  TestKind last = TEST_REPLY;

  test_client_wait (client, handle, TEST_FINISHED);
  for (guint i = 0; i < client->events->len; i++)
    {
      const TestEvent *event = client->events->pdata[i];

      if (event->handle != handle)
        continue;
      if (event->kind == TEST_READY || event->kind == TEST_ERROR)
        g_ptr_array_add (words, event_words (event));
      else if (event->kind < last)
        g_ptr_array_add (words, g_strdup ("out of order"));
      last = event->kind;
    }
  g_assert_cmpuint (test_client_count (client, handle, TEST_STARTED), ==, 1);
  g_assert_cmpuint (test_client_count (client, handle, TEST_FINISHED), ==, 1);
  if (sorted)
    g_ptr_array_sort (words, compare_words);
  g_ptr_array_add (words, NULL);
  return words->len > 1 ? g_strjoinv (", ", (char **) words->pdata) : g_strdup ("nothing");
}

char *
conformance_ask (Conformance *conformance, const char *uri, const char *mime_type,
                 const char *flavor)
{
  const char *const uris[] = { uri, NULL };
  const char *const types[] = { mime_type, NULL };
  guint32 handle =
      test_client_queue_full (conformance->client, uris, types, flavor, "foreground", 0);

  return conformance_answers (conformance, handle, TRUE);
}

static void
check_case (Conformance *conformance, gconstpointer data)
{
  const ConformanceCase *row = data;
  const char *expected = row->expected;
  g_autofree char *seen = NULL;

  if (conformance->program == NULL)
    {
      g_test_skip ("tumblerd is not installed");
      return;
    }
  if (conformance->is_tumbler && row->tumbler != NULL)
    expected = row->tumbler;
  seen = row->see (conformance);
  g_test_message ("%s", seen);
  if (strcmp (expected, CONFORMANCE_VARIES) == 0)
    return;
  g_assert_cmpstr (seen, ==, expected);
}

static const ConformanceCase *const suites[] = { conformance_thumbnailer, conformance_cache,
                                                 conformance_manager };

/* Each difference is written down, by the name of its case. */
static void
check_documented (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "..", "docs", "differences-from-tumbler.md", NULL);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (gsize i = 0; text != NULL && i < G_N_ELEMENTS (suites); i++)
    for (const ConformanceCase *row = suites[i]; row->name != NULL; row++)
      {
        g_autofree char *mark = g_strdup_printf ("`%s`", row->name);

        g_test_message ("%s", mark);
        g_assert_true (row->tumbler == NULL || strstr (text, mark) != NULL);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  /* One run tells all differences. */
  g_test_set_nonfatal_assertions ();
  g_test_add_func ("/conformance/documented", check_documented);
  for (gsize i = 0; i < G_N_ELEMENTS (suites); i++)
    for (const ConformanceCase *row = suites[i]; row->name != NULL; row++)
      {
        g_autofree char *path = g_strconcat ("/conformance/", row->name, NULL);

        g_test_add (path, Conformance, row, set_up, check_case, tear_down);
      }
  return g_test_run ();
}
