fn main() {
    println!("one");
    println!("two");
    println!("three");
}
