/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "service/th-clients.h"

struct _ThClients
{
  GDBusConnection *connection;
  GHashTable *by_name;   /* unique name → Client, owned */
  GHashTable *by_handle; /* handle → Client, borrowed; NULL for one that has left */
  gint64 brief;          /* µs */
  ThClientsLeft left;
  gpointer data;
};

/* Kept until the connection leaves, not only until its last request ends: one watch for each
 * program that asks, however often it does. */
typedef struct
{
  ThClients *clients;
  char *name;
  guint watch;
  gint64 asked_at;     /* monotonic time of its latest request */
  GHashTable *handles; /* a set */
} Client;

static void
client_free (gpointer data)
{
  Client *client = data;

  g_bus_unwatch_name (client->watch);
  g_hash_table_unref (client->handles);
  g_free (client->name);
  g_free (client);
}

static GArray *
handles_of (GHashTable *table)
{
  GArray *handles = g_array_new (FALSE, FALSE, sizeof (guint32));
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      guint32 handle = GPOINTER_TO_UINT (key);

      g_array_append_val (handles, handle);
    }
  return handles;
}

/* Who asks and leaves at once, as gdbus call does, wants the thumbnails and no signals. Who stayed
 * and then leaves has no more use for either. */
static void
on_vanished (GDBusConnection *connection, const char *name, gpointer data)
{
  Client *client = data;
  ThClients *clients = client->clients;
  gboolean brief = g_get_monotonic_time () - client->asked_at < clients->brief;
  g_autoptr (GArray) handles = handles_of (client->handles);

  for (guint i = 0; i < handles->len; i++)
    g_hash_table_insert (clients->by_handle, GUINT_TO_POINTER (g_array_index (handles, guint32, i)),
                         NULL);
  g_hash_table_remove (clients->by_name, client->name);
  for (guint i = 0; i < handles->len; i++)
    clients->left (g_array_index (handles, guint32, i), brief, clients->data);
}

static Client *
client_new (ThClients *clients, const char *name)
{
  Client *client = g_new0 (Client, 1);

  client->clients = clients;
  client->name = g_strdup (name);
  client->handles = g_hash_table_new (NULL, NULL);
  /* Also reports a name that is gone already. */
  client->watch = g_bus_watch_name_on_connection (
      clients->connection, name, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, on_vanished, client, NULL);
  return client;
}

ThClients *
th_clients_new (GDBusConnection *connection, guint brief_ms, ThClientsLeft left, gpointer data)
{
  ThClients *clients = g_new0 (ThClients, 1);

  clients->brief = (gint64) brief_ms * 1000;
  clients->left = left;
  clients->data = data;

  clients->connection = g_object_ref (connection);
  clients->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, client_free);
  clients->by_handle = g_hash_table_new (NULL, NULL);
  return clients;
}

void
th_clients_free (ThClients *clients)
{
  g_hash_table_unref (clients->by_handle);
  g_hash_table_unref (clients->by_name);
  g_object_unref (clients->connection);
  g_free (clients);
}

void
th_clients_add (ThClients *clients, guint32 handle, const char *name)
{
  Client *client = g_hash_table_lookup (clients->by_name, name);

  if (client == NULL)
    {
      client = client_new (clients, name);
      g_hash_table_insert (clients->by_name, client->name, client);
    }
  client->asked_at = g_get_monotonic_time ();
  g_hash_table_add (client->handles, GUINT_TO_POINTER (handle));
  g_hash_table_insert (clients->by_handle, GUINT_TO_POINTER (handle), client);
}

void
th_clients_remove (ThClients *clients, guint32 handle)
{
  Client *client = g_hash_table_lookup (clients->by_handle, GUINT_TO_POINTER (handle));

  if (client != NULL)
    g_hash_table_remove (client->handles, GUINT_TO_POINTER (handle));
  g_hash_table_remove (clients->by_handle, GUINT_TO_POINTER (handle));
}

const char *
th_clients_owner (const ThClients *clients, guint32 handle)
{
  Client *client = g_hash_table_lookup (clients->by_handle, GUINT_TO_POINTER (handle));

  return client != NULL ? client->name : NULL;
}

GArray *
th_clients_handles (const ThClients *clients)
{
  return handles_of (clients->by_handle);
}

gboolean
th_clients_is_empty (const ThClients *clients)
{
  return g_hash_table_size (clients->by_handle) == 0;
}
