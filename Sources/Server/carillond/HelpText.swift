import CarillonServer

enum HelpText {
    static let text = """
        carillond: the push service.

          carillond --config /etc/carillon/carillon.json  run the server; the same as carillond serve --config …
          carillond --config F --listen-port 7474         an option for the setting listen.port
          CARILLON_LISTEN_PORT=7474 carillond --config F  the same from the environment
          carillond check-config F                        report the faults of settings and files; exit 1 if any
          carillond check-health --config F               ask a running server about its health; exit 1 if it is bad
          carillond cluster-status --config F             what the shared log says of the nodes of a cluster
          carillond make-key NAME                         make an API key and the line for the file of principals
          carillond make-vapid FILE                       make a key for Web Push, and print its public half
          carillond --example-config                      print all settings with their defaults and comments, as a file
          carillond version                               print the version
          carillond help                                  print this

        A setting may be in the file ({"listen": {"port": 7474}}; lines that begin with // are comments), in the
        environment (CARILLON_LISTEN_PORT) or an option (--listen-port). An option overrides the environment, the
        environment overrides the file. A misspelt name is refused in all three; a variable CARILLON_… that is not near
        the name of a setting has no effect, and the log and check-config name it. check-config, check-health and
        cluster-status take the same options as the server.

        Settings, with their defaults:
        \(Setting.help)

        SIGHUP reads the files, and the settings that are marked so, again. If one cannot be used nothing changes, and
        the log says why.
        SIGTERM drains and exits 0.

        Exit status:
          0  stopped by a signal; check-config: no fault; check-health: healthy
          1  settings or files cannot be used, the disk has failed, or the node of a cluster has stopped (see the log)
          2  the command line is wrong
        """

    static let makeKey = """
        carillond make-key: makes an API key, and the line with its hash for the file of principals.

          carillond make-key NAME [--app BUNDLE-ID|*] [--role ROLE] [--out FILE]

        NAME          the principal: 1 to 255 bytes
        --app APP     an app that it may use; may be repeated; * is every app. Default: an example to edit.
        --role ROLE   register, send, observe or admin; may be repeated. Default: send.
        --out FILE    writes the key to a new file that only its owner can read, instead of printing it

        The key is shown once: the file of principals has only its hash. carillond reads that file again on SIGHUP.
        """
}
