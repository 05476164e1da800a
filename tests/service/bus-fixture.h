/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session bus of the test's own, with every XDG folder in a temporary one, a service on it, and
 * clients that note all that comes over the wire in its order. Knows nothing of what is tested. */
#pragma once

#include <gio/gio.h>

#define TEST_NAME       "org.freedesktop.thumbnails.Thumbnailer1"
#define TEST_CACHE_NAME "org.freedesktop.thumbnails.Cache1"
/* Long enough for the slowest machine; nothing is ever waited out. */
#define TEST_PATIENCE_US (60 * G_TIME_SPAN_SECOND)

typedef struct
{
  GSubprocess *bus;
  char *address;
  char *root; /* holds home, cache, config, services, pictures */
  char *pictures;
  char *cache; /* XDG_CACHE_HOME/thumbnails */
  char *log;   /* what the daemon wrote to stderr */
  GSubprocess *daemon;
} TestBus;

/* Path of a program in the build tree; part is relative to the folder tests. Caller frees. */
char *test_program (const char *part);

/* daemon: path of a program to be activated for both names, or NULL for none. As on a desktop, a
 * file in XDG_DATA_HOME/dbus-1/services comes before that. */
TestBus *test_bus_up (const char *daemon);
/* Stops the daemon where test_bus_start started one, and removes everything. */
void test_bus_down (TestBus *bus);
/* Writes thimble.conf. Call it before the daemon starts. */
void test_bus_configure (TestBus *bus, const char *text);
/* Runs the program and waits until TEST_NAME is owned. */
void test_bus_start (TestBus *bus, const char *program);
/* Sends SIGTERM and asserts that the daemon ends with status 0, which it does not where a sanitizer
 * found something. */
void test_bus_stop (TestBus *bus);
/* The same without a signal: waits until the daemon leaves by itself. */
void test_bus_wait (TestBus *bus);
/* What the daemon wrote to stderr so far. Caller frees. */
char *test_bus_log (TestBus *bus);

typedef enum
{
  TEST_REPLY, /* of Queue */
  TEST_STARTED,
  TEST_READY,
  TEST_ERROR,
  TEST_FINISHED,
} TestKind;

typedef struct
{
  TestKind kind;
  guint32 handle;
  char **uris;
  int code;
  char *message;
} TestEvent;

typedef struct
{
  GDBusConnection *connection;
  GAsyncQueue *wire; /* of TestEvent, filled in the connection's own thread */
  GPtrArray *events; /* all that were taken off the wire so far */
} TestClient;

TestClient *test_client_new (TestBus *bus);
/* Leaves the bus. */
void test_client_free (TestClient *client);
/* Calls a method of the thumbnailer and asserts that it succeeds. Caller unrefs the reply. */
GVariant *test_client_call (TestClient *client, const char *method, GVariant *arguments);
/* Types and handle_to_unqueue are the least interesting: "image/png" for all, and 0. */
guint32 test_client_queue (TestClient *client, const char *const *uris, const char *flavor,
                           const char *scheduler);
guint32 test_client_queue_one (TestClient *client, const char *uri);
guint32 test_client_queue_full (TestClient *client, const char *const *uris,
                                const char *const *mime_types, const char *flavor,
                                const char *scheduler, guint32 unqueue);
void test_client_dequeue (TestClient *client, guint32 handle);
/* Waits until an event of this kind and handle is in events, and returns it. */
const TestEvent *test_client_wait (TestClient *client, guint32 handle, TestKind kind);
/* Waits for Finished and asserts the order: reply, Started, others, Finished, each of these
 * once, no URI twice in one signal. Returns the answers: URI → GArray of int, -1 for Ready, else
 * the code. Caller unrefs. */
GHashTable *test_client_finish (TestClient *client, guint32 handle);
/* The single answer for uri; asserts that there is exactly one. */
int test_answer (GHashTable *answers, const char *uri);
/* Events of this kind and handle so far. */
guint test_client_count (TestClient *client, guint32 handle, TestKind kind);
/* Whether TEST_NAME is owned; waiting until it is not. */
gboolean test_client_sees_owner (TestClient *client);
void test_client_wait_unowned (TestClient *client);
/* Waits until a process other than not_this (0: any) owns it, and tells which. */
int test_client_service_pid (TestClient *client, int not_this);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestBus, test_bus_down)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestClient, test_client_free)
