/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs that register as specialised thumbnailers, or are described as such: good ones and bad
 * ones. */
#include "config.h"

#include <glib/gstdio.h>

#include "base/th-error.h"
#include "bus-fixture.h"
#include "pictures.h"
#include "specialist.h"

#define WELL_KNOWN "org.thimble.Testing"

typedef struct
{
  TestBus *bus;
  TestClient *client;
} Fixture;

static gboolean
register_type (Specialist *self)
{
  return call_register (self->connection,
                        g_variant_new ("(^as^as)", (const char *const[]){ "file", NULL },
                                       (const char *const[]){ TYPE, NULL }));
}

/* data: more of thimble.conf, or NULL. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *settings =
      g_strconcat ("[specialized]\nwall-seconds=2\n", (const char *) data, NULL);
  g_autofree char *program = test_program ("../src/service/thimbled");

  fixture->bus = test_bus_up (NULL);
  test_bus_configure (fixture->bus, settings);
  test_bus_start (fixture->bus, program);
  fixture->client = test_client_new (fixture->bus);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  test_client_free (fixture->client);
  test_bus_down (fixture->bus);
}

static int
ask_as (Fixture *fixture, const char *uri, const char *type)
{
  const char *const uris[] = { uri, NULL };
  const char *const types[] = { type, NULL };
  guint32 handle = test_client_queue_full (fixture->client, uris, types, "normal", "foreground", 0);
  g_autoptr (GHashTable) answers = test_client_finish (fixture->client, handle);

  return test_answer (answers, uri);
}

typedef struct
{
  const char *name;
  int answer;
} Row;

/* What it makes is announced once the cache has it; all else is an Error, whatever it says. */
static void
test_answers (Fixture *fixture, gconstpointer data)
{
  static const Row rows[] = {
    { "ready", -1 },   { "error", 2 },  { "lie", 8 },   { "other", 6 },
    { "stranger", 6 }, { "silent", 1 }, { "leave", 1 },
  };
  Specialist *special = specialist_new (fixture->bus, NULL);

  g_assert_true (register_type (special));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *uri = special_uri (fixture->bus, rows[i].name);

      g_test_message ("%s", rows[i].name);
      g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, rows[i].answer);
      if (rows[i].answer == -1)
        test_check_thumbnail (fixture->bus, uri, TH_FLAVOR_NORMAL);
    }
  specialist_free (special);
}

/* Without one such files are nobody's; a valid thumbnail is not asked for again. */
static void
test_comes_and_goes (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = special_uri (fixture->bus, "ready");
  g_autofree char *next = special_uri (fixture->bus, "ready-too");
  Specialist *special;

  g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, 0);
  special = specialist_new (fixture->bus, NULL);
  g_assert_true (register_type (special));
  g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, -1);
  g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, -1);
  g_assert_cmpint (g_atomic_int_get (&special->asked), ==, 1);
  specialist_free (special);
  /* The bus says so at some time. */
  for (guint i = 0; ask_as (fixture, next, TYPE) != 0; i++)
    {
      g_assert_cmpuint (i, <, 600);
      g_usleep (10000);
    }
}

/* Where one does not make it the next one is asked; the last error is told. */
static void
test_order (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = special_uri (fixture->bus, "error");
  Specialist *first = specialist_new (fixture->bus, NULL);
  Specialist *last = specialist_new (fixture->bus, NULL);

  g_assert_true (register_type (first));
  g_assert_true (register_type (last));
  g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, 2);
  g_assert_cmpint (g_atomic_int_get (&first->asked), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&last->asked), ==, 1);
  specialist_free (first);
  specialist_free (last);
}

static void
test_hostile (Fixture *fixture, gconstpointer data)
{
  GDBusConnection *connection = fixture->client->connection;
  g_autofree char *uri = test_picture (fixture->bus, "a.png", 40, 1);
  g_autofree char *long_type = g_strnfill (100000, 'x');
  g_autoptr (GPtrArray) many = g_ptr_array_new_with_free_func (g_free);
  const char *const nothing[] = { NULL };
  const char *const odd[] = { "", "file", "a b", "/", long_type, NULL };

  for (guint i = 0; i < 30000; i++)
    g_ptr_array_add (many, g_strdup_printf ("x/%u", i));
  g_ptr_array_add (many, NULL);
  g_assert_false (call_register (connection, g_variant_new ("(^as^as)", nothing, nothing)));
  g_assert_false (call_register (connection, g_variant_new ("(^as^as)", odd, nothing)));
  g_assert_false (call_register (connection, g_variant_new ("(^as^as)", odd, odd)));
  g_assert_false (call_register (
      connection, g_variant_new ("(^as^as)", (const char *const[]){ "file", NULL }, many->pdata)));
  g_assert_false (call_register (connection, g_variant_new ("(u)", 7)));
  g_assert_false (call_register (connection, NULL));
  g_assert_true (call_register (connection, g_variant_new ("(ss)", "sftp", TYPE)));
  g_assert_true (call_register (connection, g_variant_new ("(ss)", "sftp", TYPE)));
  g_assert_cmpint (ask_as (fixture, uri, "image/png"), ==, -1);
}

static gboolean
is_supported (Fixture *fixture, const char *scheme, const char *type)
{
  g_autoptr (GVariant) reply = test_client_call (fixture->client, "GetSupported", NULL);
  g_autofree const char **schemes = NULL;
  g_autofree const char **types = NULL;

  g_variant_get (reply, "(^a&s^a&s)", &schemes, &types);
  for (guint i = 0; schemes[i] != NULL; i++)
    if (g_str_equal (schemes[i], scheme) && g_str_equal (types[i], type))
      return TRUE;
  return FALSE;
}

/* A description file takes effect at once, is called by its name, and gives way to who registers.
 */
static void
test_described (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_DATA_HOME"), "thumbnailers", NULL);
  g_autofree char *file = g_build_filename (folder, "testing.service", NULL);
  g_autofree char *uri = special_uri (fixture->bus, "ready");
  g_autofree char *next = special_uri (fixture->bus, "ready-too");
  Specialist *described = specialist_new (fixture->bus, WELL_KNOWN);
  Specialist *registered = specialist_new (fixture->bus, NULL);

  g_assert_false (is_supported (fixture, "file", TYPE));
  g_assert_no_errno (g_mkdir_with_parents (folder, 0700));
  g_assert_true (g_file_set_contents (file,
                                      "[Specialized Thumbnailer]\nName=" WELL_KNOWN
                                      "\nObjectPath=" OBJECT "\nMimeTypes=" TYPE ";\n",
                                      -1, NULL));
  for (guint i = 0; !is_supported (fixture, "file", TYPE); i++)
    {
      g_assert_cmpuint (i, <, 600);
      g_usleep (100000);
    }
  g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, -1);
  g_assert_cmpint (g_atomic_int_get (&described->asked), ==, 1);
  g_assert_true (register_type (registered));
  g_assert_cmpint (ask_as (fixture, next, TYPE), ==, -1);
  g_assert_cmpint (g_atomic_int_get (&described->asked), ==, 1);
  g_assert_cmpint (g_atomic_int_get (&registered->asked), ==, 1);
  specialist_free (described);
  specialist_free (registered);
}

/* What it left is in the cache whatever it says of it, and the request ends. */
static void
test_spoilt (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uri = special_uri (fixture->bus, "spoilt");
  Specialist *special = specialist_new (fixture->bus, NULL);

  g_assert_true (register_type (special));
  g_assert_cmpint (ask_as (fixture, uri, TYPE), ==, -1);
  specialist_free (special);
}

/* So many that each with each would take longer than anybody waits. */
static void
test_many_senseless (Fixture *fixture, gconstpointer data)
{
  g_autofree const char **many = g_new0 (const char *, 300001);

  for (guint i = 0; i < 300000; i++)
    many[i] = "";
  g_assert_false (
      call_register (fixture->client->connection, g_variant_new ("(^as^as)", many, many)));
  g_assert_true (call_register (fixture->client->connection, g_variant_new ("(ss)", "file", TYPE)));
}

/* Registering the same again is no more than before. */
static void
test_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) many = g_ptr_array_new_with_free_func (g_free);
  const char *const schemes[] = { "file", NULL };

  for (guint i = 0; i < 15000; i++)
    g_ptr_array_add (many, g_strdup_printf ("x/%u", i));
  g_ptr_array_add (many, NULL);
  for (guint i = 0; i < 3; i++)
    g_assert_true (call_register (fixture->client->connection,
                                  g_variant_new ("(^as^as)", schemes, many->pdata)));
}

/* That our own decoders failed once is nothing against them. */
static void
test_remembered (Fixture *fixture, gconstpointer data)
{
  static const char broken[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDRbroken";
  g_autofree char *uri = special_uri (fixture->bus, "ready.png");
  g_autofree char *path = g_filename_from_uri (uri, NULL, NULL);
  Specialist *special = specialist_new (fixture->bus, NULL);

  g_assert_true (g_file_set_contents (path, broken, sizeof broken, NULL));
  g_assert_cmpint (ask_as (fixture, uri, "image/png"), ==, TH_ERROR_INVALID_FORMAT);
  g_assert_true (call_register (special->connection, g_variant_new ("(ss)", "file", "image/png")));
  g_assert_cmpint (ask_as (fixture, uri, "image/png"), ==, -1);
  specialist_free (special);
}

/* Rules hold for what is not looked at, too. */
static void
test_rules (Fixture *fixture, gconstpointer data)
{
  Specialist *special = specialist_new (fixture->bus, NULL);

  g_assert_true (call_register (special->connection, g_variant_new ("(ss)", "sftp", TYPE)));
  g_assert_cmpint (ask_as (fixture, "sftp://host/error", TYPE), ==, TH_ERROR_UNSUPPORTED);
  g_assert_cmpint (g_atomic_int_get (&special->asked), ==, 0);
  specialist_free (special);
}

/* Schemes that nobody else knows are served, however they are spelled. */
static void
test_schemes (Fixture *fixture, gconstpointer data)
{
  static const char *const schemes[] = { "odd", "http", NULL };
  static const char *const uris[] = { "odd://a/error", "odd:a/error", "ODD://a/error",
                                      "http://a/error" };
  Specialist *special = specialist_new (fixture->bus, NULL);

  g_assert_true (
      call_register (special->connection,
                     g_variant_new ("(^as^as)", schemes, (const char *const[]){ TYPE, NULL })));
  g_assert_true (is_supported (fixture, "odd", TYPE));
  for (guint i = 0; i < G_N_ELEMENTS (uris); i++)
    {
      g_assert_cmpint (ask_as (fixture, uris[i], TYPE), >, 0);
      g_assert_cmpint (g_atomic_int_get (&special->asked), ==, i + 1);
    }
  specialist_free (special);
}

#define ADD(path, test) g_test_add (path, Fixture, NULL, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/manager/answers", test_answers);
  ADD ("/manager/comes-and-goes", test_comes_and_goes);
  ADD ("/manager/order", test_order);
  ADD ("/manager/hostile", test_hostile);
  ADD ("/manager/described", test_described);
  ADD ("/manager/spoilt", test_spoilt);
  ADD ("/manager/many-senseless", test_many_senseless);
  ADD ("/manager/again", test_again);
  ADD ("/manager/remembered", test_remembered);
  g_test_add ("/manager/rules", Fixture, "[rules]\ninclude=~;\n", set_up, test_rules, tear_down);
  ADD ("/manager/schemes", test_schemes);
  return g_test_run ();
}
