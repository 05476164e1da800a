/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Other people's programs and files on a mount that may not answer. */
#include "config.h"

#include <string.h>

#include "external-world.h"
#include "stall-mount.h"

typedef struct
{
  World world;
  StallMount *stall;
} Place;

static void
set_up (Place *place, gconstpointer trouble)
{
  world_set_up (&place->world, NULL);
  if (trouble == NULL)
    place->stall = stall_mount_start (place->world.fixture.folder);
}

static void
tear_down (Place *place, gconstpointer trouble)
{
  fixture_stop (&place->world.fixture);
  if (place->stall != NULL)
    stall_mount_stop (place->stall);
  world_tear_down (&place->world, NULL);
}

/* It gets the file itself, which is no copy. */
static void
test_reads (Place *place, gconstpointer trouble)
{
  g_autofree char *path = NULL;
  g_autofree char *uri = NULL;
  const Record *record;

  if (trouble != NULL || !world_can_sandbox ())
    {
      g_test_skip (trouble != NULL ? trouble : "bubblewrap cannot lock anything in here");
      return;
    }
  world_add (&place->world, "helper", "grep -q 'far away' \"$1\" && cp good.png \"$2\"", NULL);
  fixture_start (&place->world.fixture);
  path = stall_mount_file (place->stall, "a.xyz", "far away", strlen ("far away"));
  uri = g_filename_to_uri (path, NULL, NULL);
  place->world.fixture.check_files = FALSE;
  record = world_try (&place->world, uri);
  g_test_message ("%s", record != NULL ? record->message : "ready");
  g_assert_null (record);
}

int
main (int argc, char **argv)
{
  const char *trouble = stall_mount_prepare ();

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/external/apart/reads", Place, trouble, set_up, test_reads, tear_down);
  return g_test_run ();
}
