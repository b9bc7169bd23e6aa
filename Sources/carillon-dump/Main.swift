import CarillonCommandLine
import Foundation

/// The entry point of `carillon-dump`.
@main
enum Main {
    static func main() async {
        // Every file that is made has complete tokens, or says where they are: only its owner may read it. LMDB makes a
        // copy with the rights that this mask leaves.
        umask(0o077)
        await Program.main(CarillonDump.self)
    }
}
