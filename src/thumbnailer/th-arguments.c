/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "thumbnailer/th-arguments.h"

#include <getopt.h>
#include <stdio.h>

#include "base/th-modules.h"

#define DEFAULT_SIZE 256
/* Larger boxes are taken and get this: what comes out still fits into them. */
#define LARGEST_SIZE 4096

#define USAGE "usage: thimble-thumbnailer [-s SIZE] [--module=NAME] INPUT OUTPUT\n"

static const struct option options[] = {
  { "module", required_argument, NULL, 'm' },
  { "size", required_argument, NULL, 's' },
  { "help", no_argument, NULL, 'h' },
  { "version", no_argument, NULL, 'v' },
  { NULL, 0, NULL, 0 },
};

static ThArgumentsResult
print (const char *text)
{
  return fputs (text, stdout) >= 0 && fflush (stdout) == 0 ? TH_ARGUMENTS_ANSWERED
                                                           : TH_ARGUMENTS_WRONG;
}

static ThArgumentsResult
complain (const char *what)
{
  fprintf (stderr, "thimble-thumbnailer: %s; " USAGE, what);
  return TH_ARGUMENTS_WRONG;
}

static ThArgumentsResult
take_operands (int argc, char **argv, ThArguments *arguments)
{
  if (argc - optind != 2)
    return complain ("one INPUT and one OUTPUT are wanted");
  arguments->input = argv[optind];
  arguments->output = argv[optind + 1];
  return TH_ARGUMENTS_RUN;
}

static gboolean
take_size (const char *text, ThArguments *arguments)
{
  guint64 size;

  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT32, &size, NULL))
    return FALSE;
  arguments->size = (guint32) MIN (size, LARGEST_SIZE);
  return TRUE;
}

ThArgumentsResult
th_arguments_parse (int argc, char **argv, ThArguments *arguments)
{
  int option;

  *arguments = (ThArguments){ .size = DEFAULT_SIZE };
  opterr = 0;
  while ((option = getopt_long (argc, argv, "s:h", options, NULL)) >= 0)
    switch (option)
      {
      case 's':
        if (!take_size (optarg, arguments))
          return complain ("SIZE is a number of pixels, 1 or more");
        break;
      case 'm':
        if (!th_modules_is_name (optarg))
          return complain ("NAME is that of a module");
        arguments->module = optarg;
        break;
      case 'h':
        return print (USAGE "Makes a PNG thumbnail that fits into SIZE × SIZE pixels (256).\n"
                            "INPUT is a path or a file: URI. NAME is the module that its type "
                            "leads to; others are\nasked where it does not know the data.\n");
      case 'v':
        return print ("thimble-thumbnailer " TH_VERSION "\n");
      default:
        return complain ("an unknown option, or one without its value");
      }
  return take_operands (argc, argv, arguments);
}
