/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-filter.h"

#include <math.h>
#include <string.h>

#define LOBES 3.0

/* The kernel walks in equal steps of x, so that the sine comes from a rotation and not from the
 * library: sin (pi x) follows from sin (pi x / 3) by the triple angle. */
typedef struct
{
  double x, step;
  double sine, cosine;
  double step_sine, step_cosine;
} Walk;

static Walk
walk_from (double x, double step)
{
  const double angle = G_PI / LOBES;

  return (Walk){
    .x = x,
    .step = step,
    .sine = sin (angle * x),
    .cosine = cos (angle * x),
    .step_sine = sin (angle * step),
    .step_cosine = cos (angle * step),
  };
}

static double
walk_value (const Walk *walk)
{
  const double s = walk->sine;
  const double px = G_PI * walk->x;

  if (fabs (walk->x) >= LOBES)
    return 0.0;
  if (fabs (walk->x) < 1e-6)
    return 1.0;
  return LOBES * (3.0 * s - 4.0 * s * s * s) * s / (px * px);
}

static void
walk_on (Walk *walk)
{
  const double sine = walk->sine * walk->step_cosine + walk->cosine * walk->step_sine;

  walk->cosine = walk->cosine * walk->step_cosine - walk->sine * walk->step_sine;
  walk->sine = sine;
  walk->x += walk->step;
}

/* Lanczos3 at a single place. */
static double
kernel_at (double x)
{
  const Walk walk = walk_from (x, 0.0);

  return walk_value (&walk);
}

typedef struct
{
  double scale;   /* inputs for each output */
  double stretch; /* of the kernel: never narrower than the inputs */
  double reach;   /* inputs to each side of the centre */
} Shape;

static Shape
shape_of (ThAxis axis, guint32 n_out)
{
  const double scale = axis.exact / (double) n_out;
  const double stretch = MAX (scale, 1.0);

  return (Shape){ scale, stretch, LOBES * stretch };
}

/* Pixels whose centre lies within the reach; the last, short pixel has its centre elsewhere, so
 * one more is allowed for. */
static guint32
most_taps (ThAxis axis, guint32 n_out)
{
  const double most = 2.0 * ceil (shape_of (axis, n_out).reach) + 2.0;

  return (guint32) MIN (most, (double) axis.pixels);
}

/* Exact weights of the inputs first to first + n - 1; returns their sum. */
static double
exact_weights (ThAxis axis, const Shape *shape, double centre, guint32 first, guint32 n,
               double *weights)
{
  const double share = th_axis_last_share (axis);
  Walk walk = walk_from ((first + 0.5 - centre) / shape->stretch, 1.0 / shape->stretch);
  double sum = 0.0;

  for (guint32 k = 0; k < n; k++, walk_on (&walk))
    {
      weights[k] = walk_value (&walk);
      if (first + k == axis.pixels - 1 && share < 1.0)
        weights[k] = share * kernel_at ((first + k + share / 2.0 - centre) / shape->stretch);
      sum += weights[k];
    }
  return sum;
}

/* To whole numbers of exact sum: what rounding lost goes to the largest. */
static void
quantise (const double *exact, double sum, guint32 n, gint16 *weights)
{
  const double by = TH_WEIGHT_ONE / sum;
  gint32 left = TH_WEIGHT_ONE;
  guint32 largest = 0;

  for (guint32 k = 0; k < n; k++)
    {
      weights[k] = (gint16) lrint (exact[k] * by);
      left -= weights[k];
      largest = exact[k] > exact[largest] ? k : largest;
    }
  weights[largest] = (gint16) (weights[largest] + left);
}

/* Drops the zeros at both ends: at the raster's own size only one tap remains. */
static void
trim (ThFilter *filter, guint32 i)
{
  gint16 *weights = filter->weights + (gsize) i * filter->stride;
  guint32 n = filter->taps[i];
  guint32 skip = 0;

  while (n > 1 && weights[n - 1] == 0)
    n--;
  while (skip + 1 < n && weights[skip] == 0)
    skip++;
  memmove (weights, weights + skip, (n - skip) * sizeof *weights);
  memset (weights + n - skip, 0, (filter->stride - (n - skip)) * sizeof *weights);
  filter->first[i] += skip;
  filter->taps[i] = n - skip;
}

static void
compute (ThFilter *filter, ThAxis axis, double *exact)
{
  const Shape shape = shape_of (axis, filter->n_out);
  const guint32 most = most_taps (axis, filter->n_out);

  for (guint32 i = 0; i < filter->n_out; i++)
    {
      const double centre = (i + 0.5) * shape.scale;
      const double low = ceil (centre - shape.reach - 0.5);
      const double latest = (double) (axis.pixels - most);
      double sum;

      filter->first[i] = (guint32) CLAMP (low, 0.0, latest);
      filter->taps[i] = most;
      sum = exact_weights (axis, &shape, centre, filter->first[i], most, exact);
      quantise (exact, sum, most, filter->weights + (gsize) i * filter->stride);
      trim (filter, i);
    }
}

void
th_filter_init (ThFilter *filter, ThArena *arena, ThAxis axis, guint32 n_out)
{
  const guint32 most = most_taps (axis, n_out);
  double *exact;

  *filter = (ThFilter){ .n_out = n_out,
                        .stride = (most + TH_FILTER_STEP - 1) / TH_FILTER_STEP * TH_FILTER_STEP };
  filter->first = th_arena_take (arena, n_out, sizeof *filter->first);
  filter->taps = th_arena_take (arena, n_out, sizeof *filter->taps);
  filter->weights =
      th_arena_take (arena, n_out, filter->stride * (guint64) sizeof *filter->weights);
  exact = th_arena_take (arena, most, sizeof *exact);
  if (arena->base != NULL)
    compute (filter, axis, exact);
}
