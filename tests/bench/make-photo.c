/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A picture that costs decoders what a photograph costs them, as PPM: make-photo WIDTH HEIGHT SEED
 *
 * Soft shapes at every scale (noise in octaves), things with hard edges in front of them, and the
 * grain of a sensor. The same numbers give the same bytes everywhere: integers only. */
#include "config.h"

#include <glib.h>
#include <stdio.h>

#define OCTAVES  7u
#define DISCS    48u
#define MAX_SIDE 20000

typedef struct
{
  gint64 x, y, radius;
  guint32 colour;
} Disc;

typedef struct
{
  guint32 width, height, seed;
  Disc discs[DISCS];
} Scene;

static guint32
hash (guint32 seed, guint32 x, guint32 y)
{
  guint32 h = seed ^ (x * 0x9e3779b1u) ^ (y * 0x85ebca77u);

  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

/* Smooth between the corners of a lattice of the given cell: 0…65535. */
static guint32
soft (guint32 seed, guint32 x, guint32 y, guint32 cell)
{
  const guint32 column = x / cell, row = y / cell;
  const guint64 right = ((guint64) (x % cell) << 16) / cell,
                down = ((guint64) (y % cell) << 16) / cell;
  const guint64 top = (hash (seed, column, row) >> 16) * (65536u - right)
                      + (hash (seed, column + 1, row) >> 16) * right;
  const guint64 bottom = (hash (seed, column, row + 1) >> 16) * (65536u - right)
                         + (hash (seed, column + 1, row + 1) >> 16) * right;

  return (guint32) (((top >> 16) * (65536u - down) + (bottom >> 16) * down) >> 16);
}

static guint32
octaves (const Scene *scene, guint32 x, guint32 y, guint32 channel)
{
  guint32 cell = MAX (scene->width, scene->height) / 3u + 1u;
  guint32 weight = 110, sum = 0;

  for (guint32 i = 0; i < OCTAVES && cell > 1;
       i++, cell = cell / 3u + 1u, weight = weight * 5u / 8u)
    sum += soft (scene->seed + i * 3u + (i < 2 ? channel : 0), x, y, cell) * weight >> 8;
  return sum >> 8;
}

static const Disc *
disc_at (const Scene *scene, guint32 x, guint32 y)
{
  for (guint i = 0; i < DISCS; i++)
    {
      const gint64 dx = x - scene->discs[i].x, dy = y - scene->discs[i].y;

      if (dx * dx + dy * dy < scene->discs[i].radius * scene->discs[i].radius)
        return &scene->discs[i];
    }
  return NULL;
}

static void
pixel (const Scene *scene, guint32 x, guint32 y, guint8 *rgb)
{
  const Disc *disc = disc_at (scene, x, y);
  const guint32 grain = hash (scene->seed + 99u, x, y);

  for (guint32 c = 0; c < 3; c++)
    {
      guint32 value = octaves (scene, x, y, c);

      if (disc != NULL)
        value = (value + 2u * (disc->colour >> (8u * c) & 255u)) / 3u;
      value += (grain >> (8u * c) & 15u);
      rgb[c] = (guint8) MIN (value, 255u);
    }
}

static void
place_discs (Scene *scene)
{
  const guint32 side = MIN (scene->width, scene->height);

  for (guint32 i = 0; i < DISCS; i++)
    scene->discs[i] =
        (Disc){ hash (scene->seed, i, 1u) % scene->width, hash (scene->seed, i, 2u) % scene->height,
                2u + hash (scene->seed, i, 3u) % (side / 12u + 1u), hash (scene->seed, i, 4u) };
}

static gboolean
write_scene (const Scene *scene)
{
  const gsize length = (gsize) scene->width * 3u;
  g_autofree guint8 *row = g_malloc (length);

  printf ("P6\n%u %u\n255\n", scene->width, scene->height);
  for (guint32 y = 0; y < scene->height; y++)
    {
      for (guint32 x = 0; x < scene->width; x++)
        pixel (scene, x, y, row + (gsize) x * 3u);
      if (fwrite (row, 1, length, stdout) != length)
        return FALSE;
    }
  return fflush (stdout) == 0;
}

int
main (int argc, char **argv)
{
  gint64 numbers[3] = { 0 };
  Scene scene = { 0 };

  for (int i = 0; i < 3; i++)
    if (argc != 4
        || !g_ascii_string_to_signed (argv[i + 1], 10, i < 2, MAX_SIDE, &numbers[i], NULL))
      {
        fprintf (stderr, "usage: make-photo WIDTH HEIGHT SEED > FILE.ppm (at most %d each)\n",
                 MAX_SIDE);
        return 2;
      }
  scene.width = (guint32) numbers[0];
  scene.height = (guint32) numbers[1];
  scene.seed = (guint32) numbers[2];
  place_discs (&scene);
  return write_scene (&scene) ? 0 : 1;
}
