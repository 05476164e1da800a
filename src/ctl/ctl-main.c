/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl: a table of subcommands. */
#include "config.h"

#include <glib.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/th-open.h"
#include "ctl/ctl-clean.h"
#include "ctl/ctl-enable.h"
#include "ctl/ctl-explain.h"
#include "ctl/ctl-formats.h"
#include "ctl/ctl-make.h"
#include "ctl/ctl-sheet.h"
#include "ctl/ctl-state.h"
#include "ctl/ctl-status.h"

static int print_help (int argc, char **argv);
static int print_version (int argc, char **argv);

static const struct
{
  const char *name;
  int (*run) (int argc, char **argv);
  const char *what; /* NULL: not listed */
} commands[] = {
  { "make", ctl_make, "make the thumbnails of files and folders" },
  { "refresh", ctl_refresh, "make anew the thumbnails of exactly these files and folders" },
  { "sheet", ctl_sheet, "put the thumbnails of a folder on one picture" },
  { "explain", ctl_explain, "say why files have, or have no, thumbnails" },
  { "formats", ctl_formats, "list the formats of which there are thumbnails" },
  { "clean", ctl_clean, "remove thumbnails that are of no use" },
  { "enable", ctl_enable, "serve this user in place of another thumbnailer" },
  { "disable", ctl_disable, "undo enable" },
  { "status", ctl_status, "tell who makes thumbnails in this session, and how that goes" },
  { "help", print_help, "print this" },
  { "version", print_version, "print the version" },
  { "--help", print_help, NULL },
  { "-h", print_help, NULL },
  { "--version", print_version, NULL },
};

static void
usage (FILE *stream)
{
  fputs ("Usage: thimblectl COMMAND [OPTION…] [ARGUMENT…]\n\nCommands:\n", stream);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (commands[i].what != NULL)
      fprintf (stream, "  %-9s %s\n", commands[i].name, commands[i].what);
  fputs ("\nthimblectl COMMAND --help tells more.\n", stream);
}

static int
print_help (int argc, char **argv)
{
  usage (stdout);
  return CTL_OK;
}

static int
print_version (int argc, char **argv)
{
  printf ("thimblectl %s\n", TH_VERSION);
  return CTL_OK;
}

int
main (int argc, char **argv)
{
  if (!th_open_standard_streams ())
    return CTL_SOME_FAILED;
  /* A limit on the size of files is an error to report, not the end. */
  (void) signal (SIGXFSZ, SIG_IGN);
  setlocale (LC_ALL, "");
  g_set_prgname ("thimblectl");
  for (gsize i = 0; argc > 1 && i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0)
      return commands[i].run (argc - 1, argv + 1);
  if (argc > 1)
    fprintf (stderr, "thimblectl: there is no command “%s”\n", argv[1]);
  usage (stderr);
  return CTL_USAGE;
}
