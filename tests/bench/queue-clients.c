/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many clients of the thumbnailer on the session bus, each with a connection of its own, each with
 * one file on its way at a time:
 *
 *   queue-clients CLIENTS REQUESTS FLAVOR SCHEDULER < files, one a line
 *
 * The files are asked for in their order, from the beginning again after the last. Prints requests
 * a second, median and 99th percentile of a request in milliseconds (from the call to Finished),
 * and the numbers of Ready and Error. */
#include "config.h"

#include <gio/gio.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME    "org.freedesktop.thumbnails.Thumbnailer1"
#define PATH    "/org/freedesktop/thumbnails/Thumbnailer1"
#define SECONDS 600u

typedef struct
{
  GMainLoop *loop;
  GPtrArray *uris;
  GPtrArray *types;
  const char *flavor;
  const char *scheduler;
  guint n_requests;
  guint n_begun;
  guint n_ready;
  guint n_errors;
  GArray *ms; /* double, of those that are finished */
  GError *error;
} Load;

typedef struct
{
  Load *load;
  GDBusConnection *bus;
  gint64 start;
} Client;

static void ask (Client *client);

static void
on_signal (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
           const char *signal, GVariant *parameters, gpointer data)
{
  Client *client = data;
  Load *load = client->load;
  double ms;

  load->n_ready += g_str_equal (signal, "Ready") ? 1 : 0;
  load->n_errors += g_str_equal (signal, "Error") ? 1 : 0;
  if (!g_str_equal (signal, "Finished"))
    return;
  ms = (double) (g_get_monotonic_time () - client->start) / 1e3;
  g_array_append_val (load->ms, ms);
  if (load->ms->len == load->n_requests)
    g_main_loop_quit (load->loop);
  else
    ask (client);
}

static void
on_reply (GObject *bus, GAsyncResult *result, gpointer data)
{
  Client *client = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (bus), result, &error);

  if (reply != NULL || client->load->error != NULL)
    return;
  client->load->error = g_steal_pointer (&error);
  g_main_loop_quit (client->load->loop);
}

static void
ask (Client *client)
{
  Load *load = client->load;
  const guint index = load->n_begun % load->uris->len;
  const char *uris[] = { load->uris->pdata[index], NULL };
  const char *types[] = { load->types->pdata[index], NULL };

  if (load->n_begun == load->n_requests)
    return;
  load->n_begun++;
  client->start = g_get_monotonic_time ();
  g_dbus_connection_call (
      client->bus, NAME, PATH, NAME, "Queue",
      g_variant_new ("(^as^asssu)", uris, types, load->flavor, load->scheduler, 0u),
      G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, on_reply, client);
}

static gboolean
client_connect (Client *client, Load *load, const char *address, GError **error)
{
  client->load = load;
  client->bus =
      g_dbus_connection_new_for_address_sync (address,
                                              G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                                  | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                              NULL, NULL, error);
  if (client->bus == NULL)
    return FALSE;
  g_dbus_connection_signal_subscribe (client->bus, NULL, NAME, NULL, PATH, NULL,
                                      G_DBUS_SIGNAL_FLAGS_NONE, on_signal, client, NULL);
  /* The bus must know what is wanted before anything is measured. */
  g_dbus_connection_flush_sync (client->bus, NULL, NULL);
  return TRUE;
}

static void
read_files (Load *load)
{
  g_autofree char *line = NULL;
  gsize room = 0;
  gssize length;

  while ((length = getline (&line, &room, stdin)) > 0)
    {
      g_autoptr (GFile) file = NULL;
      g_autoptr (GFileInfo) info = NULL;

      line[length - (line[length - 1] == '\n')] = '\0';
      file = g_file_new_for_path (line);
      info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_CONTENT_TYPE, 0, NULL, NULL);
      g_ptr_array_add (load->uris, g_file_get_uri (file));
      g_ptr_array_add (load->types, g_strdup (info != NULL ? g_file_info_get_content_type (info)
                                                           : "application/octet-stream"));
    }
}

static int
by_value (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static gboolean
on_timeout (gpointer data)
{
  Load *load = data;

  g_set_error (&load->error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "not finished within %u s", SECONDS);
  g_main_loop_quit (load->loop);
  return G_SOURCE_REMOVE;
}

static gboolean
run (Load *load, Client *clients, guint n, GError **error)
{
  const char *address = g_getenv ("DBUS_SESSION_BUS_ADDRESS");
  gint64 start;
  double seconds;
  double *ms;

  for (guint i = 0; i < n; i++)
    if (!client_connect (&clients[i], load, address != NULL ? address : "", error))
      return FALSE;
  start = g_get_monotonic_time ();
  for (guint i = 0; i < n; i++)
    ask (&clients[i]);
  g_timeout_add_seconds (SECONDS, on_timeout, load);
  g_main_loop_run (load->loop);
  seconds = (double) (g_get_monotonic_time () - start) / 1e6;
  if (load->error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&load->error));
      return FALSE;
    }
  ms = (double *) (void *) load->ms->data;
  qsort (ms, load->ms->len, sizeof *ms, by_value);
  printf ("%.2f\t%.3f\t%.3f\t%u\t%u\n", load->ms->len / seconds, ms[load->ms->len / 2],
          ms[(load->ms->len * 99u) / 100u], load->n_ready, load->n_errors);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  Load load = { .ms = g_array_new (FALSE, FALSE, sizeof (double)) };
  guint64 n_clients, n_requests;
  Client *clients;

  if (argc != 5 || !g_ascii_string_to_unsigned (argv[1], 10, 1, 1000, &n_clients, NULL)
      || !g_ascii_string_to_unsigned (argv[2], 10, 1, 10000000, &n_requests, NULL))
    {
      fprintf (stderr, "usage: queue-clients CLIENTS REQUESTS FLAVOR SCHEDULER < FILES\n");
      return 2;
    }
  load.loop = g_main_loop_new (NULL, FALSE);
  load.uris = g_ptr_array_new ();
  load.types = g_ptr_array_new ();
  load.flavor = argv[3];
  load.scheduler = argv[4];
  load.n_requests = (guint) n_requests;
  read_files (&load);
  clients = g_new0 (Client, n_clients);
  if (load.uris->len > 0 && run (&load, clients, (guint) n_clients, &error))
    return 0;
  fprintf (stderr, "queue-clients: %s\n", error != NULL ? error->message : "no files");
  return 1;
}
