/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One Queue call to whatever thumbnailer is on the session bus, timed from the call to Finished.
 *
 *   queue-uris FLAVOR[,FLAVOR…] SCHEDULER FILE… [< more files, one a line, where FILE is -]
 *
 * With more than one flavor there is a call for each, none waiting for another, until all are
 * finished. Prints a line for each URI as its signal arrives: "ready" or "error", milliseconds
 * since the call, URI and for errors code and message, with tabs between; then "finished" with the
 * time, the numbers of both. Exit status 0 once Finished came, whatever it said about the files. */
#include "config.h"

#include <gio/gio.h>
#include <stdio.h>

#define NAME    "org.freedesktop.thumbnails.Thumbnailer1"
#define PATH    "/org/freedesktop/thumbnails/Thumbnailer1"
#define SECONDS 600u

typedef struct
{
  GMainLoop *loop;
  GPtrArray *uris;
  GPtrArray *types;
  gint64 start;
  GError *error;
  guint n_ready;
  guint n_errors;
  guint n_calls; /* whose Finished has not come */
  gboolean quiet;
} Client;

static double
elapsed (const Client *client)
{
  return (double) (g_get_monotonic_time () - client->start) / 1000.0;
}

static void
on_ready (Client *client, GVariant *parameters)
{
  g_autofree const char **uris = NULL;

  g_variant_get (parameters, "(u^a&s)", NULL, &uris);
  for (gsize i = 0; uris[i] != NULL; i++, client->n_ready++)
    if (!client->quiet)
      printf ("ready\t%.2f\t%s\n", elapsed (client), uris[i]);
}

static void
on_error (Client *client, GVariant *parameters)
{
  g_autofree const char **uris = NULL;
  const char *message;
  gint32 code;

  g_variant_get (parameters, "(u^a&si&s)", NULL, &uris, &code, &message);
  for (gsize i = 0; uris[i] != NULL; i++, client->n_errors++)
    printf ("error\t%.2f\t%s\t%d\t%s\n", elapsed (client), uris[i], code, message);
}

static void
on_signal (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
           const char *signal, GVariant *parameters, gpointer data)
{
  Client *client = data;

  if (g_strcmp0 (signal, "Ready") == 0)
    on_ready (client, parameters);
  else if (g_strcmp0 (signal, "Error") == 0)
    on_error (client, parameters);
  else if (g_strcmp0 (signal, "Finished") == 0 && --client->n_calls == 0)
    g_main_loop_quit (client->loop);
}

static void
add_file (Client *client, const char *name)
{
  g_autoptr (GFile) file = g_file_new_for_commandline_arg (name);
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_CONTENT_TYPE, 0, NULL, NULL);
  const char *type = info != NULL ? g_file_info_get_content_type (info) : NULL;

  g_ptr_array_add (client->uris, g_file_get_uri (file));
  g_ptr_array_add (client->types, g_strdup (type != NULL ? type : "application/octet-stream"));
}

static void
add_files_from (Client *client, FILE *stream)
{
  g_autofree char *line = NULL;
  gsize room = 0;
  gssize length;

  while ((length = getline (&line, &room, stream)) > 0)
    {
      line[length - (line[length - 1] == '\n')] = '\0';
      add_file (client, line);
    }
}

static gboolean
on_timeout (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

/* A call that was refused has no Finished: waiting would be in vain. */
static void
on_reply (GObject *bus, GAsyncResult *result, gpointer data)
{
  Client *client = data;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, &client->error);

  if (reply == NULL)
    g_main_loop_quit (client->loop);
}

static gboolean
queue (Client *client, const char *const *flavors, const char *scheduler, GError **error)
{
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, error);

  if (bus == NULL)
    return FALSE;
  g_dbus_connection_signal_subscribe (bus, NULL, NAME, NULL, PATH, NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                      on_signal, client, NULL);
  client->start = g_get_monotonic_time ();
  for (; flavors[client->n_calls] != NULL; client->n_calls++)
    g_dbus_connection_call (bus, NAME, PATH, NAME, "Queue",
                            g_variant_new ("(^as^asssu)", client->uris->pdata, client->types->pdata,
                                           flavors[client->n_calls], scheduler, 0u),
                            G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_reply,
                            client);
  g_main_loop_run (client->loop);
  printf ("finished\t%.2f\t%u\t%u\n", elapsed (client), client->n_ready, client->n_errors);
  if (client->error == NULL && client->n_calls > 0)
    g_set_error (&client->error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "no Finished within %u s",
                 SECONDS);
  if (client->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&client->error));
  return FALSE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GPtrArray) uris = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) types = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) flavors = NULL;
  Client client = { .loop = loop, .uris = uris, .types = types };

  if (argc < 4)
    {
      fprintf (stderr, "usage: queue-uris FLAVOR[,FLAVOR…] SCHEDULER FILE…|-\n");
      return 2;
    }
  client.quiet = g_getenv ("QUEUE_URIS_QUIET") != NULL;
  for (int i = 3; i < argc; i++)
    if (g_strcmp0 (argv[i], "-") == 0)
      add_files_from (&client, stdin);
    else
      add_file (&client, argv[i]);
  g_ptr_array_add (uris, NULL);
  g_ptr_array_add (types, NULL);
  g_timeout_add_seconds (SECONDS, on_timeout, loop);
  flavors = g_strsplit (argv[1], ",", -1);
  if (queue (&client, (const char *const *) flavors, argv[2], &error))
    return 0;
  fprintf (stderr, "queue-uris: %s\n", error->message);
  return 1;
}
