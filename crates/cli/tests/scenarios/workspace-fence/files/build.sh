echo built > out.txt
echo x > "$FORELOOK_HOME/../stray" 2>/dev/null && echo "wrote outside"
echo done
