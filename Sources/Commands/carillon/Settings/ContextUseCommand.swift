import ArgumentParser
import CarillonCommandLine

struct ContextUseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "use",
        abstract: "Chooses the context of commands without --context and CARILLON_CONTEXT.",
        discussion: """
            Examples:
              carillon context use test
              carillon context use --none

            The choice is kept beside the configuration file, in config.json.context.
            """
    )

    @Argument(help: ArgumentHelp("The context.", valueName: "name"))
    var name: String?

    @Flag(help: "Chooses no context: only the other settings of the file are used.")
    var none = false

    @OptionGroup var options: ContextOptions

    func validate() throws {
        guard (name == nil) == none else { throw ValidationError("Give the name of a context, or --none.") }
    }

    func run() throws {
        try options.choice().choose(name)
        StandardOutput.printLine(name.map { "context \($0)" } ?? "no context")
    }
}
