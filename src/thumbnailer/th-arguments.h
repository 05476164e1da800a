/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The command line of thimble-thumbnailer. */
#pragma once

#include <glib.h>

typedef struct
{
  guint32 size;       /* side of the square box, pixels */
  const char *module; /* whose worker is asked first, or NULL */
  const char *input;
  const char *output;
} ThArguments;

typedef enum
{
  TH_ARGUMENTS_RUN,
  TH_ARGUMENTS_ANSWERED, /* help or version has been printed */
  TH_ARGUMENTS_WRONG     /* and a line on standard error says so */
} ThArgumentsResult;

/* Options at any position, up to "--". The strings stay argv's. */
ThArgumentsResult th_arguments_parse (int argc, char **argv, ThArguments *arguments);
