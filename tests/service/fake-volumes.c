/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thimble-volumes that is not what it should be: TH_FAKE_VOLUMES says how. It adds a byte to the
 * file TH_FAKE_STARTS each time that it is started. */
#include "config.h"

#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/th-wire.h"

static const struct
{
  const char *name;
  const char *packet; /* NULL: a very long path */
  gsize size;
  gboolean endless;
} lies[] = {
  { "flood", "/somewhere", 11, TRUE },
  { "long", NULL, 100000, FALSE },
  { "unended", "/somewhere", 10, FALSE },
  { "relative", "some/where", 11, FALSE },
  { "double", "/some\0/where", 13, FALSE },
  { "root", "/", 2, FALSE },
  { "empty", "", 1, FALSE },
};

static void
say (guint lie)
{
  g_autofree char *packet = g_malloc (lies[lie].size);

  memset (packet, 'a', lies[lie].size);
  packet[0] = '/';
  if (lies[lie].packet != NULL)
    memcpy (packet, lies[lie].packet, lies[lie].size);
  do
    send (TH_WIRE_FD, packet, lies[lie].size, 0);
  while (lies[lie].endless);
  /* As long as somebody listens. */
  poll (&(struct pollfd){ .fd = TH_WIRE_FD }, 1, -1);
}

static void
count_start (void)
{
  int fd = open (g_getenv ("TH_FAKE_STARTS"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

  g_assert_cmpint (write (fd, "x", 1), ==, 1);
  close (fd);
}

int
main (void)
{
  const char *name = g_getenv ("TH_FAKE_VOLUMES");

  count_start ();
  for (guint i = 0; i < G_N_ELEMENTS (lies); i++)
    if (g_str_equal (lies[i].name, name))
      say (i);
  /* Whatever else it is told: it dies at once. */
  return 1;
}
