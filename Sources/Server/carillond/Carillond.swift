import CarillonServer
import CarillonVersion
import Glibc

/// The program `carillond`: carries out the command of its command line. Its exit status is 2 if the command line is
/// wrong, and 1 if the command fails.
@main
enum Carillond {
    // The main actor: the settings of the process are those of its first thread.
    @MainActor
    static func main() async {
        ProcessSetup.apply()
        do {
            switch try Command(Array(CommandLine.arguments.dropFirst())) {
            case .serve(let options): try await SettingsCommands.run(options)
            case .checkConfiguration(let options): exit(try await SettingsCommands.check(options))
            case .checkHealth(let options): exit(try await SettingsCommands.checkHealth(options))
            case .showCluster(let options): try await SettingsCommands.showCluster(options)
            case .makeKey(let request): try MakeKey.run(request)
            case .makeVAPID(let file): try MakeVAPID.run(file: file)
            case .printExample: print(Setting.example, terminator: "")
            case .printVersion: print(Version.line("carillond"))
            case .printHelp(let isAboutKeys): print(isAboutKeys ? HelpText.makeKey : HelpText.text)
            }
        } catch let error as UsageError {
            printError("carillond: \(error)\n  See 'carillond --help' for more information.")
            exit(2)
        } catch {
            printError("carillond: \(error)")
            exit(1)
        }
    }
}

/// Writes a line to standard error.
func printError(_ line: String) {
    _ = (line + "\n").withCString { write(STDERR_FILENO, $0, strlen($0)) }
}
