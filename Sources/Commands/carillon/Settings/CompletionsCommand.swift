import ArgumentParser
import CarillonCommandLine

struct CompletionsCommand: ParsableCommand {
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        fileprivate var parser: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints the script that completes carillon's commands and options in a shell.",
        discussion: """
            Examples:
              carillon completions bash \\
                > ~/.local/share/bash-completion/completions/carillon
              carillon completions zsh > ~/.zfunc/_carillon
              carillon completions fish > ~/.config/fish/completions/carillon.fish

            Topics, groups and messages are completed as well: the shell asks carillon,
            which asks the server of the environment, of the configuration file, or of the
            options that are typed already.

            Make the folder first (mkdir -p). bash needs the package bash-completion. zsh
            needs the folder in its path, before compinit, in ~/.zshrc:

              fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit

            For all users of the machine: /usr/share/bash-completion/completions/carillon,
            /usr/share/zsh/vendor-completions/_carillon,
            /usr/share/fish/vendor_completions.d/carillon.fish.
            """
    )

    @Argument(help: "The shell.")
    var shell: Shell

    func run() { StandardOutput.printLine(Carillon.completionScript(for: shell.parser)) }
}
