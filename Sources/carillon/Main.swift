import CarillonCommandLine

/// The entry point of the program.
@main
enum Main {
    static func main() async { await Program.main(Carillon.self) }
}
