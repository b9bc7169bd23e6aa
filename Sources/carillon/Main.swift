import CarillonCommandLine

/// The entry point.
@main
enum Main {
    static func main() async { await Program.main(Carillon.self) }
}
